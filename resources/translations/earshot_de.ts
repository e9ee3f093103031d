<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Actions</name>
    <message>
        <source>&amp;New transcript</source>
        <translation>&amp;Neue Mitschrift</translation>
    </message>
    <message>
        <source>&amp;Reopen last captions</source>
        <translation>&amp;Letzte Untertitel wieder öffnen</translation>
    </message>
    <message>
        <source>&amp;Transcribe files…</source>
        <translation>Dateien mits&amp;chreiben…</translation>
    </message>
    <message>
        <source>E&amp;xport…</source>
        <translation>E&amp;xportieren…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;Close window</source>
        <translation>Fenster schl&amp;ießen</translation>
    </message>
    <message>
        <source>Cu&amp;t</source>
        <translation>A&amp;usschneiden</translation>
    </message>
    <message>
        <source>Co&amp;py</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>P&amp;aste</source>
        <translation>Ein&amp;fügen</translation>
    </message>
    <message>
        <source>Select A&amp;ll</source>
        <translation>&amp;Alles auswählen</translation>
    </message>
    <message>
        <source>&amp;Start captions</source>
        <translation>Untertitel s&amp;tarten</translation>
    </message>
    <message>
        <source>S&amp;top</source>
        <translation>St&amp;opp</translation>
    </message>
    <message>
        <source>Play &amp;demo</source>
        <translation>De&amp;mo abspielen</translation>
    </message>
    <message>
        <source>&amp;Restart engine</source>
        <translation>Erkennung &amp;neu starten</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>Jump to ne&amp;west</source>
        <translation>Zum Neu&amp;esten springen</translation>
    </message>
    <message>
        <source>&amp;Mark this moment</source>
        <translation>Diesen Moment &amp;merken</translation>
    </message>
    <message>
        <source>&amp;Return to my marks</source>
        <translation>&amp;Zu meinen Marken</translation>
    </message>
    <message>
        <source>Mi&amp;nimise</source>
        <translation>&amp;Minimieren</translation>
    </message>
    <message>
        <source>&amp;Find in transcript…</source>
        <translation>In Mitschrift &amp;suchen…</translation>
    </message>
    <message>
        <source>Pr&amp;ivate session</source>
        <translation>Private Sitzun&amp;g</translation>
    </message>
    <message>
        <source>Nothing that is said is kept until this is switched off.</source>
        <translation>Nichts, was gesagt wird, wird behalten, bis das ausgeschaltet ist.</translation>
    </message>
    <message>
        <source>C&amp;orrect a line</source>
        <translation>Zeile &amp;berichtigen</translation>
    </message>
    <message>
        <source>Repla&amp;ce all…</source>
        <translation>Alles &amp;ersetzen…</translation>
    </message>
    <message>
        <source>Pla&amp;y and caption a file…</source>
        <translation>Datei mit &amp;Untertiteln abspielen…</translation>
    </message>
    <message>
        <source>&amp;Mute the sound</source>
        <translation>Ton st&amp;umm schalten</translation>
    </message>
    <message>
        <source>&amp;Let others read along…</source>
        <translation>Andere mit&amp;lesen lassen …</translation>
    </message>
    <message>
        <source>Show only words that will not &amp;change</source>
        <translation>Nur s&amp;ichere Wörter anzeigen</translation>
    </message>
    <message>
        <source>&amp;Overlay</source>
        <translation>&amp;Schwebende Untertitel</translation>
    </message>
    <message>
        <source>Overlay</source>
        <translation>Schwebend</translation>
    </message>
    <message>
        <source>Clicks &amp;go through the overlay</source>
        <translation>&amp;Klicks durchlassen</translation>
    </message>
    <message>
        <source>Move overlay by &amp;keys</source>
        <translation>Schwebende Untertitel mit Tasten &amp;verschieben</translation>
    </message>
    <message>
        <source>N&amp;otes</source>
        <translation>Not&amp;izen</translation>
    </message>
    <message>
        <source>&amp;Tuning</source>
        <translation>&amp;Feinabstimmung</translation>
    </message>
    <message>
        <source>Com&amp;pare with the published method…</source>
        <translation>Mit dem veröffentlichten Verfahren verglei&amp;chen…</translation>
    </message>
    <message>
        <source>&amp;Why is it silent?</source>
        <translation>&amp;Warum ist es still?</translation>
    </message>
    <message>
        <source>Show d&amp;etails</source>
        <translation>&amp;Details anzeigen</translation>
    </message>
    <message>
        <source>Times of da&amp;y</source>
        <translation>Uhr&amp;zeiten</translation>
    </message>
    <message>
        <source>&amp;Larger text</source>
        <translation>Text &amp;größer</translation>
    </message>
    <message>
        <source>S&amp;maller text</source>
        <translation>Text &amp;kleiner</translation>
    </message>
    <message>
        <source>De&amp;fault text size</source>
        <translation>&amp;Normale Textgröße</translation>
    </message>
    <message>
        <source>&amp;About Earshot</source>
        <translation>&amp;Über Earshot</translation>
    </message>
    <message>
        <source>&amp;Captions</source>
        <translation>&amp;Untertitel</translation>
    </message>
    <message>
        <source>&amp;Assistant</source>
        <translation>A&amp;ssistent</translation>
    </message>
    <message>
        <source>&amp;History</source>
        <translation>&amp;Verlauf</translation>
    </message>
    <message>
        <source>Mo&amp;dels</source>
        <translation>M&amp;odelle</translation>
    </message>
    <message>
        <source>Add a &amp;model folder…</source>
        <translation>&amp;Modellordner hinzufügen…</translation>
    </message>
    <message>
        <source>&amp;Settings…</source>
        <translation>&amp;Einstellungen…</translation>
    </message>
    <message>
        <source>&amp;Welcome to Earshot</source>
        <translation>&amp;Willkommen bei Earshot</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>&amp;Tastenkürzel</translation>
    </message>
    <message>
        <source>&amp;Documentation</source>
        <translation>&amp;Dokumentation</translation>
    </message>
    <message>
        <source>&amp;Report a problem…</source>
        <translation>&amp;Problem melden…</translation>
    </message>
    <message>
        <source>Is there a &amp;newer Earshot?</source>
        <translation>Gibt es ein &amp;neueres Earshot?</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>&amp;Go on</source>
        <translation>&amp;Weiter</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;Pause</translation>
    </message>
    <message>
        <source>Tra&amp;nslate</source>
        <translation>Überset&amp;zen</translation>
    </message>
    <message>
        <source>Tra&amp;nslate: {}</source>
        <translation>Überset&amp;zen: {}</translation>
    </message>
    <message>
        <source>Tra&amp;nslate: {} (spoken already)</source>
        <translation>Überset&amp;zen: {} (schon gesprochen)</translation>
    </message>
    <message>
        <source>Tra&amp;nslate: {} ({} s behind)</source>
        <translation>Überset&amp;zen: {} ({} s später)</translation>
    </message>
</context>
<context>
    <name>Application</name>
    <message>
        <source>Demo</source>
        <translation>Demo</translation>
    </message>
    <message>
        <source>Caption this</source>
        <translation>Untertiteln</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>Jetzt nicht</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
    <message>
        <source>{} is listening. Caption this?</source>
        <translation>{} hört zu. Untertiteln?</translation>
    </message>
    <message>
        <source>{} is listening, and is being captioned.</source>
        <translation>{} hört zu und wird untertitelt.</translation>
    </message>
</context>
<context>
    <name>AssistantActions</name>
    <message>
        <source>Start &amp;listening</source>
        <translation>&amp;Zuhören beginnen</translation>
    </message>
    <message>
        <source>&amp;Ask</source>
        <translation>&amp;Fragen</translation>
    </message>
    <message>
        <source>&amp;Stop answering</source>
        <translation>Antwort abb&amp;rechen</translation>
    </message>
    <message>
        <source>&amp;New conversation</source>
        <translation>&amp;Neue Unterhaltung</translation>
    </message>
    <message>
        <source>Answer al&amp;oud</source>
        <translation>&amp;Vorlesen</translation>
    </message>
    <message>
        <source>Cop&amp;y conversation</source>
        <translation>Unterhaltung &amp;kopieren</translation>
    </message>
    <message>
        <source>&amp;Play last answer again</source>
        <translation>Letzte Antwort &amp;wiederholen</translation>
    </message>
    <message>
        <source>&amp;Restart the assistant</source>
        <translation>Assistenten neu s&amp;tarten</translation>
    </message>
    <message>
        <source>&amp;Jump to newest</source>
        <translation>Zum Neu&amp;esten springen</translation>
    </message>
    <message>
        <source>Stop &amp;listening</source>
        <translation>&amp;Zuhören beenden</translation>
    </message>
</context>
<context>
    <name>AssistantPage</name>
    <message>
        <source>Choose a &amp;model…</source>
        <translation>&amp;Modell wählen…</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>Model that answers</source>
        <translation>Modell, das antwortet</translation>
    </message>
    <message>
        <source>{} on the {}</source>
        <translation>{} auf der {}</translation>
    </message>
    <message>
        <source>A question can be {} characters long; the rest was left out.</source>
        <translation>Eine Frage kann {} Zeichen lang sein; der Rest wurde weggelassen.</translation>
    </message>
    <message>
        <source>The assistant&apos;s engine stopped several times. What was said is kept.</source>
        <translation>Der Assistent ist mehrmals abgestürzt. Was gesagt wurde, ist noch da.</translation>
    </message>
    <message>
        <source>You: {}</source>
        <translation>Sie: {}</translation>
    </message>
    <message>
        <source>Earshot: {}</source>
        <translation>Earshot: {}</translation>
    </message>
</context>
<context>
    <name>AssistantSettings</name>
    <message>
        <source>&amp;Model</source>
        <translation>&amp;Modell</translation>
    </message>
    <message>
        <source>&amp;Answer aloud</source>
        <translation>&amp;Vorlesen</translation>
    </message>
    <message>
        <source>S&amp;peaker</source>
        <translation>S&amp;precher</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Voice</source>
        <translation>Stimme</translation>
    </message>
    <message>
        <source>Get more on the Models page.</source>
        <translation>Weitere gibt es auf der Seite „Modelle“.</translation>
    </message>
    <message>
        <source>Taking turns</source>
        <translation>Wer gerade dran ist</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>Only one</source>
        <translation>Nur einer</translation>
    </message>
    <message>
        <source>&amp;Only listen while I hold a button</source>
        <translation>&amp;Nur auf Tastendruck zuhören</translation>
    </message>
    <message>
        <source>Otherwise the microphone is open and a pause ends your turn.</source>
        <translation>Sonst ist das Mikrofon offen, und eine Pause beendet den Beitrag.</translation>
    </message>
    <message>
        <source>Let me &amp;interrupt by speaking</source>
        <translation>&amp;Dazwischenreden unterbricht die Antwort</translation>
    </message>
    <message>
        <source>It does not hear itself. Over loudspeakers, speak at least as loudly as they do.</source>
        <translation>Er hört sich nicht selbst. Bei Lautsprechern mindestens so laut sprechen wie sie.</translation>
    </message>
    <message>
        <source>{} ({})</source>
        <translation>{} ({})</translation>
    </message>
</context>
<context>
    <name>AudioFeed</name>
    <message>
        <source>“{}” broke off unexpectedly ({}).</source>
        <translation>„{}“ brach unerwartet ab ({}).</translation>
    </message>
    <message>
        <source>“{}” was disconnected. The recording goes on, silent, until it is back.</source>
        <translation>„{}“ ist nicht mehr angeschlossen. Die Aufnahme läuft mit Stille weiter, bis es wieder da ist.</translation>
    </message>
    <message>
        <source>“{}” is back. The {} without it were recorded as silence.</source>
        <translation>„{}“ ist wieder da. Die {} ohne das Gerät wurden als Stille aufgenommen.</translation>
    </message>
    <message>
        <source>The system&apos;s default changed: now listening to “{}”.</source>
        <translation>Das Standardgerät hat sich geändert: Jetzt wird „{}“ gehört.</translation>
    </message>
    <message>
        <source>The system&apos;s default changed: not a microphone, but what “{}” plays is heard now.</source>
        <translation>Das Standardgerät hat sich geändert: Jetzt wird kein Mikrofon gehört, sondern was „{}“ abspielt.</translation>
    </message>
    <message>
        <source>This computer was too busy to record {}. They were kept as silence.</source>
        <translation>Der Computer war zu beschäftigt, um {} aufzunehmen. Sie wurden als Stille gespeichert.</translation>
    </message>
    <message>
        <source>The computer was asleep for {}. The recording goes on.</source>
        <translation>Der Computer hat {} geschlafen. Die Aufnahme läuft weiter.</translation>
    </message>
    <message>
        <source>{} s</source>
        <translation>{} s</translation>
    </message>
    <message>
        <source>{} min</source>
        <translation>{} min</translation>
    </message>
</context>
<context>
    <name>CaptionCorrections</name>
    <message>
        <source>Replaced: {}</source>
        <translation>Ersetzt: {}</translation>
    </message>
    <message>
        <source>The line was corrected.</source>
        <translation>Die Zeile wurde berichtigt.</translation>
    </message>
</context>
<context>
    <name>CaptionStage</name>
    <message>
        <source>&amp;Mark this place</source>
        <translation>Diese Stelle &amp;merken</translation>
    </message>
    <message>
        <source>&amp;Remove the mark</source>
        <translation>Ma&amp;rkierung entfernen</translation>
    </message>
    <message>
        <source>Remove &amp;all marks</source>
        <translation>&amp;Alle Marken entfernen</translation>
    </message>
    <message>
        <source>C&amp;orrect…</source>
        <translation>&amp;Berichtigen…</translation>
    </message>
    <message>
        <source>&amp;Speaker…</source>
        <translation>&amp;Sprecher…</translation>
    </message>
    <message>
        <source>Marked. Marks: {}</source>
        <translation>Markiert. Marken: {}</translation>
    </message>
</context>
<context>
    <name>CaptionText</name>
    <message>
        <source>… part not captioned: this computer is too slow for the model</source>
        <translation>… nicht untertitelt: dieser Computer ist zu langsam für das Modell</translation>
    </message>
</context>
<context>
    <name>CaptionView</name>
    <message>
        <source>Captions</source>
        <translation>Untertitel</translation>
    </message>
</context>
<context>
    <name>CaptionsPage</name>
    <message>
        <source>No microphone was found. Connect one, or open an audio file instead.</source>
        <translation>Es wurde kein Mikrofon gefunden. Bitte eines anschließen oder eine Audiodatei öffnen.</translation>
    </message>
    <message>
        <source>Captions</source>
        <translation>Untertitel</translation>
    </message>
    <message>
        <source>There are no earlier captions.</source>
        <translation>Es gibt keine früheren Untertitel.</translation>
    </message>
    <message>
        <source>One moment, the model is being loaded.</source>
        <translation>Einen Moment, das Modell wird geladen.</translation>
    </message>
    <message>
        <source>The microphone was disconnected. Captions go on as soon as it is back.</source>
        <translation>Das Mikrofon ist nicht mehr angeschlossen. Sobald es wieder da ist, geht es mit den Untertiteln weiter.</translation>
    </message>
    <message>
        <source>Play and caption a file</source>
        <translation>Eine Datei mit Untertiteln abspielen</translation>
    </message>
    <message>
        <source>The microphone is silent. Is it muted, or is Earshot not allowed to use it?</source>
        <translation>Das Mikrofon liefert keinen Ton. Ist es stummgeschaltet, oder darf Earshot es nicht verwenden?</translation>
    </message>
    <message>
        <source>The sound of the computer is gone. Captions go on as soon as it is back.</source>
        <translation>Der Ton des Computers ist weg. Es geht weiter, sobald er wieder da ist.</translation>
    </message>
    <message>
        <source>Nothing is playing on this computer. Words appear here as soon as somebody speaks.</source>
        <translation>Auf diesem Computer wird nichts abgespielt. Sobald jemand spricht, erscheinen hier die Wörter.</translation>
    </message>
    <message>
        <source>Listening. Words appear here as they are spoken.</source>
        <translation>Earshot hört zu. Hier erscheint, was gesprochen wird.</translation>
    </message>
    <message>
        <source>&amp;Get a model that hears {}…</source>
        <translation>Modell für {} &amp;holen…</translation>
    </message>
    <message>
        <source>The captioning engine stopped unexpectedly. Everything written so far is kept.</source>
        <translation>Die Spracherkennung ist abgestürzt. Alles bisher Geschriebene ist noch da.</translation>
    </message>
    <message>
        <source>The captioning engine stopped unexpectedly. The recording goes on, and no words are lost.</source>
        <translation>Die Spracherkennung ist abgestürzt. Die Aufnahme läuft weiter, kein Wort geht verloren.</translation>
    </message>
    <message>
        <source>No speech was heard.</source>
        <translation>Es war keine Sprache zu hören.</translation>
    </message>
    <message>
        <source>New transcript. The last one is in the history.</source>
        <translation>Neue Mitschrift. Die letzte ist im Verlauf.</translation>
    </message>
    <message>
        <source>New transcript.</source>
        <translation>Neue Mitschrift.</translation>
    </message>
</context>
<context>
    <name>CaptionsSettings</name>
    <message>
        <source>&amp;Model</source>
        <translation>&amp;Modell</translation>
    </message>
    <message>
        <source>&amp;Spoken language</source>
        <translation>&amp;Gesprochene Sprache</translation>
    </message>
    <message>
        <source>Get more on the Models page.</source>
        <translation>Weitere gibt es auf der Seite „Modelle“.</translation>
    </message>
    <message>
        <source>If you choose it, words appear sooner and with fewer mistakes.</source>
        <translation>Ist sie gewählt, erscheinen Wörter früher und mit weniger Fehlern.</translation>
    </message>
    <message>
        <source>Detect automatically</source>
        <translation>Automatisch erkennen</translation>
    </message>
    <message>
        <source>L&amp;imit detection to</source>
        <translation>&amp;Nur diese erkennen</translation>
    </message>
    <message>
        <source>Only these languages are detected; with none ticked, any language is.</source>
        <translation>Nur diese Sprachen werden erkannt; ist keine angekreuzt, jede.</translation>
    </message>
    <message>
        <source>Model and language</source>
        <translation>Modell und Sprache</translation>
    </message>
    <message>
        <source>Show &amp;confirmed words only</source>
        <translation>Nur s&amp;ichere Wörter anzeigen</translation>
    </message>
    <message>
        <source>Words that are shown never change; they appear a little later.</source>
        <translation>Angezeigtes ändert sich nicht mehr; Wörter kommen etwas später.</translation>
    </message>
    <message>
        <source>Correct &amp;finished lines</source>
        <translation>Fertige &amp;Zeilen verbessern</translation>
    </message>
    <message>
        <source>Each line is heard once more with what follows it, if there is time. Other words that this finds are underlined with dots. Floating captions stay as they are.</source>
        <translation>Jede Zeile wird noch einmal mit dem gehört, was auf sie folgt, wenn Zeit dafür ist. Andere Wörter, die sich dabei ergeben, sind gepunktet unterstrichen. Schwebende Untertitel bleiben, wie sie sind.</translation>
    </message>
    <message>
        <source>Cor&amp;rect them with</source>
        <translation>Ver&amp;bessern mit</translation>
    </message>
    <message>
        <source>A much larger model may find more mistakes; in English Whisper base finds no more. It takes memory, and time to spare.</source>
        <translation>Ein viel größeres Modell findet vielleicht mehr Fehler; im Englischen findet Whisper base nicht mehr. Das braucht Speicher und übrige Zeit.</translation>
    </message>
    <message>
        <source>Sa&amp;y who speaks</source>
        <translation>&amp;Sagen, wer spricht</translation>
    </message>
    <message>
        <source>Voices are told apart and numbered, a second or more after each line. This takes a little more computing time.</source>
        <translation>Stimmen werden unterschieden und nummeriert, eine Sekunde oder später nach jeder Zeile. Das kostet etwas mehr Rechenzeit.</translation>
    </message>
    <message>
        <source>&amp;Pause while nobody speaks</source>
        <translation>&amp;Pausieren, solange niemand spricht</translation>
    </message>
    <message>
        <source>Turn this off if quiet or unusual voices are missed.</source>
        <translation>Ausschalten, wenn leise oder ungewöhnliche Stimmen überhört werden.</translation>
    </message>
    <message>
        <source>What is shown</source>
        <translation>Anzeige</translation>
    </message>
    <message>
        <source>How it listens</source>
        <translation>Zuhören</translation>
    </message>
    <message>
        <source>The same model</source>
        <translation>Demselben Modell</translation>
    </message>
</context>
<context>
    <name>ChoiceRow</name>
    <message>
        <source>{} (missing)</source>
        <translation>{} (fehlt)</translation>
    </message>
</context>
<context>
    <name>Closing</name>
    <message>
        <source>Quit Earshot</source>
        <translation>Earshot beenden</translation>
    </message>
    <message>
        <source>Stop captions and quit?</source>
        <translation>Untertitel beenden und Earshot schließen?</translation>
    </message>
    <message>
        <source>Quit although not all transcripts are finished?</source>
        <translation>Trotzdem beenden? Nicht alle Mitschriften sind fertig.</translation>
    </message>
    <message>
        <source>Transcripts that are not finished begin again when Earshot is started next.</source>
        <translation>Unfertige Mitschriften beginnen beim nächsten Start von Earshot von vorn.</translation>
    </message>
    <message>
        <source>Transcripts that are not saved will be lost.</source>
        <translation>Nicht gespeicherte Mitschriften gehen verloren.</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>What was said so far is kept in the history, and so is its sound.</source>
        <translation>Was bisher gesagt wurde, bleibt im Verlauf, auch sein Ton.</translation>
    </message>
    <message>
        <source>What was said so far is kept in the history.</source>
        <translation>Was bisher gesagt wurde, steht im Verlauf.</translation>
    </message>
    <message>
        <source>What was said so far is lost, because the history is off.</source>
        <translation>Was bisher gesagt wurde, geht verloren, denn der Verlauf ist ausgeschaltet.</translation>
    </message>
    <message>
        <source>Earshot stays in the tray</source>
        <translation>Earshot bleibt im Infobereich</translation>
    </message>
    <message>
        <source>Captions go on in the background.</source>
        <translation>Die Untertitel laufen im Hintergrund weiter.</translation>
    </message>
    <message>
        <source>Earshot stays in the tray.</source>
        <translation>Earshot bleibt im Infobereich.</translation>
    </message>
    <message>
        <source>Its icon brings the window back. This can be switched off in the settings.</source>
        <translation>Sein Symbol holt das Fenster zurück. In den Einstellungen lässt sich das ausschalten.</translation>
    </message>
    <message>
        <source>Close the &amp;window</source>
        <translation>&amp;Fenster schließen</translation>
    </message>
    <message>
        <source>&amp;Quit Earshot</source>
        <translation>Earshot &amp;beenden</translation>
    </message>
</context>
<context>
    <name>CommandRun</name>
    <message>
        <source>It stopped before it had finished. Try again.</source>
        <translation>Es wurde beendet, bevor es fertig war. Bitte erneut versuchen.</translation>
    </message>
    <message>
        <source>It could not be started: {}.</source>
        <translation>Es konnte nicht gestartet werden: {}.</translation>
    </message>
    <message>
        <source>It failed without saying why. Try again.</source>
        <translation>Es ist ohne Angabe von Gründen fehlgeschlagen. Bitte erneut versuchen.</translation>
    </message>
</context>
<context>
    <name>ComparisonDialog</name>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Recording</source>
        <translation>Aufnahme</translation>
    </message>
    <message>
        <source>Demo</source>
        <translation>Demo</translation>
    </message>
    <message>
        <source>&amp;Open a recording…</source>
        <translation>Aufnahme ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>&amp;Vergleichen</translation>
    </message>
    <message>
        <source>C&amp;ancel</source>
        <translation>&amp;Abbrechen</translation>
    </message>
    <message>
        <source>Progress of the comparison</source>
        <translation>Fortschritt des Vergleichs</translation>
    </message>
    <message>
        <source>Whisper-Streaming, as published</source>
        <translation>Whisper-Streaming, wie veröffentlicht</translation>
    </message>
    <message>
        <source>Earshot, as set now</source>
        <translation>Earshot, wie jetzt eingestellt</translation>
    </message>
    <message>
        <source>End the captions first: they would slow both ways down.</source>
        <translation>Zuerst die Untertitel beenden: Sie würden beide Verfahren bremsen.</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>Modell wird geladen…</translation>
    </message>
    <message>
        <source>&amp;Recording</source>
        <translation>Auf&amp;nahme</translation>
    </message>
    <message>
        <source>The first {:.0f} seconds are heard twice, with the same model and on this computer: as the method was published, and with your settings. Only the method differs.</source>
        <translation>Die ersten {:.0f} Sekunden werden zweimal gehört, mit demselben Modell auf diesem Computer: einmal mit dem Verfahren, wie es veröffentlicht wurde, einmal mit den jetzigen Einstellungen. Nur das Verfahren ist verschieden.</translation>
    </message>
    <message>
        <source>Open a recording</source>
        <translation>Aufnahme öffnen</translation>
    </message>
    <message>
        <source>Hearing it as published…</source>
        <translation>Hören wie veröffentlicht…</translation>
    </message>
    <message>
        <source>Hearing it as set now…</source>
        <translation>Hören wie jetzt eingestellt…</translation>
    </message>
    <message>
        <source>The comparison gave no result that can be read. Try again.</source>
        <translation>Der Vergleich ergab nichts Lesbares. Bitte noch einmal versuchen.</translation>
    </message>
    <message>
        <source>{:.0f} seconds of sound, heard twice.</source>
        <translation>{:.0f} Sekunden Ton, zweimal gehört.</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Abgebrochen.</translation>
    </message>
</context>
<context>
    <name>ConversationView</name>
    <message>
        <source>Conversation</source>
        <translation>Unterhaltung</translation>
    </message>
</context>
<context>
    <name>Corrections</name>
    <message>
        <source>&amp;Speaker…</source>
        <translation>&amp;Sprecher…</translation>
    </message>
    <message>
        <source>Remove the &amp;mark</source>
        <translation>&amp;Marke entfernen</translation>
    </message>
    <message>
        <source>Show &amp;original</source>
        <translation>&amp;Original anzeigen</translation>
    </message>
    <message>
        <source>Restore or&amp;iginal</source>
        <translation>Or&amp;iginal wiederherstellen</translation>
    </message>
    <message>
        <source>Replaced: {}</source>
        <translation>Ersetzt: {}</translation>
    </message>
    <message>
        <source>The mark was removed.</source>
        <translation>Die Marke wurde entfernt.</translation>
    </message>
    <message>
        <source>The line was marked.</source>
        <translation>Die Zeile wurde markiert.</translation>
    </message>
    <message>
        <source>The line was corrected.</source>
        <translation>Die Zeile wurde berichtigt.</translation>
    </message>
    <message>
        <source>The original was restored.</source>
        <translation>Das Original wurde wiederhergestellt.</translation>
    </message>
    <message>
        <source>Heard: “{}”</source>
        <translation>Gehört: „{}“</translation>
    </message>
</context>
<context>
    <name>Dialogs</name>
    <message>
        <source>Try it</source>
        <translation>Ausprobieren</translation>
    </message>
    <message>
        <source>Transcriptions that were not finished go on: {}</source>
        <translation>Unfertige Mitschriften laufen weiter: {}</translation>
    </message>
    <message>
        <source>To read {} here, get a model that translates into it.</source>
        <translation>Um {} zu lesen, ist ein Modell nötig, das in diese Sprache übersetzt.</translation>
    </message>
    <message>
        <source>Your microphone is silent.</source>
        <translation>Das Mikrofon liefert keinen Ton.</translation>
    </message>
    <message>
        <source>There is sound, but no speech so far.</source>
        <translation>Es ist etwas zu hören, aber noch keine Sprache.</translation>
    </message>
</context>
<context>
    <name>Dictation</name>
    <message>
        <source>Open privacy settings</source>
        <translation>Datenschutzeinstellungen öffnen</translation>
    </message>
    <message>
        <source>Dictation needs a microphone: choose one on the Captions page.</source>
        <translation>Zum Diktieren braucht es ein Mikrofon: Es wird auf der Seite Untertitel gewählt.</translation>
    </message>
    <message>
        <source>This desktop does not let Earshot type into other programs.</source>
        <translation>Dieser Desktop lässt Earshot nicht in andere Programme schreiben.</translation>
    </message>
    <message>
        <source>Dictation is on: what you say is typed into the program in front.</source>
        <translation>Das Diktat läuft: Was gesagt wird, wird in das vordere Programm geschrieben.</translation>
    </message>
    <message>
        <source>Dictation is off.</source>
        <translation>Das Diktat ist beendet.</translation>
    </message>
    <message>
        <source>The desktop did not allow Earshot to type into other programs.</source>
        <translation>Der Desktop hat Earshot nicht erlaubt, in andere Programme zu schreiben.</translation>
    </message>
    <message>
        <source>A program in front asks for a password, or lets no other program type: dictation has ended.</source>
        <translation>Das vordere Programm fragt nach einem Passwort oder lässt kein anderes Programm tippen: Das Diktat ist beendet.</translation>
    </message>
    <message>
        <source>Allow Earshot in System Settings, Privacy &amp; Security, Accessibility; then start dictation again.</source>
        <translation>Earshot in den Systemeinstellungen unter „Datenschutz &amp; Sicherheit“, „Bedienungshilfen“ erlauben, dann das Diktat neu beginnen.</translation>
    </message>
    <message>
        <source>Allow the terminal that Earshot was started from in System Settings, Privacy &amp; Security, Accessibility; then start dictation again.</source>
        <translation>Das Terminal, aus dem Earshot gestartet wurde, in den Systemeinstellungen unter „Datenschutz &amp; Sicherheit“, „Bedienungshilfen“ erlauben, dann das Diktat neu beginnen.</translation>
    </message>
    <message>
        <source>Dictation types into other programs, not into Earshot: click where the text is to go.</source>
        <translation>Diktiert wird in andere Programme, nicht in Earshot: dorthin klicken, wo der Text stehen soll.</translation>
    </message>
</context>
<context>
    <name>Documentation</name>
    <message>
        <source>Documentation</source>
        <translation>Dokumentation</translation>
    </message>
    <message>
        <source>&amp;Back</source>
        <translation>&amp;Zurück</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>Seite</translation>
    </message>
    <message>
        <source>&amp;Page</source>
        <translation>&amp;Seite</translation>
    </message>
</context>
<context>
    <name>DownloadLocation</name>
    <message>
        <source>Do&amp;wnload from:</source>
        <translation>&amp;Laden von:</translation>
    </message>
    <message>
        <source>Download from</source>
        <translation>Laden von</translation>
    </message>
    <message>
        <source>The address of a mirror, if Hugging Face cannot be reached; leave empty for Hugging Face itself</source>
        <translation>Die Adresse eines Spiegelservers, wenn Hugging Face nicht erreichbar ist; leer für Hugging Face selbst</translation>
    </message>
    <message>
        <source>This is not an address. Addresses begin with https:// or http://.</source>
        <translation>Das ist keine Adresse. Adressen beginnen mit https:// oder http://.</translation>
    </message>
    <message>
        <source>{free} free</source>
        <translation>{free} frei</translation>
    </message>
    <message>
        <source>Models are kept in {folder}, shared with other programs.</source>
        <translation>Modelle liegen in {folder}, gemeinsam mit anderen Programmen.</translation>
    </message>
</context>
<context>
    <name>Editors</name>
    <message>
        <source>as soon as the model is sure</source>
        <translation>sobald das Modell sicher ist</translation>
    </message>
    <message>
        <source>once several guesses agree</source>
        <translation>wenn Vermutungen übereinstimmen</translation>
    </message>
    <message>
        <source>&amp;Update captions at most every</source>
        <translation>Untertitel &amp;erneuern höchstens alle</translation>
    </message>
    <message>
        <source>Steadiness</source>
        <translation>Stabilität</translation>
    </message>
    <message>
        <source>&amp;Decoder</source>
        <translation>&amp;Decoder</translation>
    </message>
    <message>
        <source>Word by word</source>
        <translation>Wort für Wort</translation>
    </message>
    <message>
        <source>Several words at once</source>
        <translation>Mehrere Wörter zugleich</translation>
    </message>
    <message>
        <source>Candidates &amp;at a time</source>
        <translation>&amp;Kandidaten zugleich</translation>
    </message>
    <message>
        <source>Silence up to 30 seconds: slow</source>
        <translation>Stille bis 30 Sekunden: langsam</translation>
    </message>
    <message>
        <source>A second of silence</source>
        <translation>Eine Sekunde Stille</translation>
    </message>
    <message>
        <source>Half a second of silence</source>
        <translation>Eine halbe Sekunde Stille</translation>
    </message>
    <message>
        <source>Half a second of noise</source>
        <translation>Eine halbe Sekunde Rauschen</translation>
    </message>
    <message>
        <source>Nothing: fast, often wrong</source>
        <translation>Nichts: schnell, oft falsch</translation>
    </message>
    <message>
        <source>&amp;Steadiness</source>
        <translation>Stab&amp;ilität</translation>
    </message>
    <message>
        <source>Get more on the Models page.</source>
        <translation>Weitere gibt es auf der Seite „Modelle“.</translation>
    </message>
    <message>
        <source>changes no word until the end</source>
        <translation>ändert bis zum Ende kein Wort</translation>
    </message>
    <message>
        <source>&amp;Hold back</source>
        <translation>Zurück&amp;halten</translation>
    </message>
    <message>
        <source>The newest words are the least certain. Held back, they change less and come later.</source>
        <translation>Die neuesten Wörter sind am unsichersten. Zurückgehalten ändern sie sich seltener und kommen später.</translation>
    </message>
    <message>
        <source>&amp;Never change what is shown</source>
        <translation>&amp;Angezeigtes nie ändern</translation>
    </message>
    <message>
        <source>Words are only ever added. They come later, and what is said later cannot correct them.</source>
        <translation>Wörter kommen nur hinzu. Sie kommen später, und was danach gesagt wird, kann sie nicht verbessern.</translation>
    </message>
    <message>
        <source>Confirm &amp;words</source>
        <translation>&amp;Wörter bestätigen</translation>
    </message>
    <message>
        <source>The first is faster, the second makes slightly fewer mistakes.</source>
        <translation>Das Erste ist schneller, das Zweite macht etwas weniger Fehler.</translation>
    </message>
    <message>
        <source>Distance from the newest sound</source>
        <translation>Abstand zum neuesten Ton</translation>
    </message>
    <message>
        <source>Less shows words sooner, with more mistakes; more than usual only shows them later.</source>
        <translation>Weniger zeigt Wörter früher, mit mehr Fehlern; mehr als üblich zeigt sie nur später.</translation>
    </message>
    <message>
        <source>Less shows words sooner and keeps the computer busier. A slow computer takes longer by itself.</source>
        <translation>Weniger bringt Wörter früher und beschäftigt den Computer mehr. Ein langsamer nimmt sich selbst mehr Zeit.</translation>
    </message>
    <message>
        <source>Checking it in one go and keeping what is still right saves most of the work.</source>
        <translation>Wird sie auf einmal geprüft und behalten, was noch stimmt, spart das die meiste Arbeit.</translation>
    </message>
    <message>
        <source>Further right, words stay unless others are much more likely: steadier, but mistakes stay too.</source>
        <translation>Weiter rechts bleiben Wörter, solange andere nicht viel wahrscheinlicher sind: stabiler, aber auch Fehler bleiben.</translation>
    </message>
    <message>
        <source>Several words at once needs a model trained for it, such as Speech-LLaMA.</source>
        <translation>Mehrere Wörter zugleich kann nur ein Modell, das es gelernt hat, etwa Speech-LLaMA.</translation>
    </message>
    <message>
        <source>More finds better words but takes longer; the default is one.</source>
        <translation>Mehr finden bessere Wörter, brauchen aber länger; Standard ist einer.</translation>
    </message>
    <message>
        <source>Padding after the s&amp;ound</source>
        <translation>Nach dem &amp;Ton</translation>
    </message>
    <message>
        <source>What the model hears after the newest sound, so that it knows where speech ends.</source>
        <translation>Was das Modell nach dem neuesten Ton bekommt, um das Ende zu erkennen.</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Learned silence: fast and accurate</source>
        <translation>Gelernte Stille: schnell und genau</translation>
    </message>
    <message>
        <source>Precomputed silence</source>
        <translation>Vorab berechnete Stille</translation>
    </message>
    <message>
        <source>Further right, words that are shown are kept, even if others are a little likelier later.</source>
        <translation>Weiter rechts bleiben gezeigte Wörter stehen, auch wenn andere später etwas wahrscheinlicher sind.</translation>
    </message>
    <message>
        <source>Sho&amp;w</source>
        <translation>&amp;Zeigen</translation>
    </message>
    <message>
        <source>Words that are likely to stay appear at once. The second choice holds back a fixed number.</source>
        <translation>Wörter, die wohl bleiben, erscheinen sofort. Die zweite Möglichkeit hält eine feste Zahl zurück.</translation>
    </message>
    <message>
        <source>words that are likely to stay</source>
        <translation>Wörter, die wohl bleiben</translation>
    </message>
    <message>
        <source>all but the newest words (mask-k)</source>
        <translation>alle bis auf die neuesten Wörter (mask-k)</translation>
    </message>
    <message>
        <source>Start answering while I sp&amp;eak</source>
        <translation>Früh mit der &amp;Antwort beginnen</translation>
    </message>
    <message>
        <source>You hear answers sooner; the computer is busier while you speak.</source>
        <translation>Antworten sind früher zu hören; der Computer hat beim Sprechen mehr zu tun.</translation>
    </message>
    <message>
        <source>Prepare less on &amp;battery</source>
        <translation>Im A&amp;kkubetrieb weniger vorbereiten</translation>
    </message>
    <message>
        <source>Answers are then only prepared when you seem to have finished.</source>
        <translation>Antworten werden dann nur vorbereitet, wenn das Gesagte fertig scheint.</translation>
    </message>
    <message>
        <source>Re&amp;use prepared answer</source>
        <translation>Vorb&amp;ereitete Antwort nutzen</translation>
    </message>
    <message>
        <source>Keep the last guess</source>
        <translation>Letzte Vermutung behalten</translation>
    </message>
    <message>
        <source>after checking it</source>
        <translation>nach Prüfung</translation>
    </message>
    <message>
        <source>as a guide for the search</source>
        <translation>als Leitfaden der Suche</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>What is kept of an answer that was prepared before you finished. The first choice changes no answer.</source>
        <translation>Was von einer vorbereiteten Antwort bleibt. Die erste Wahl ändert keine Antwort.</translation>
    </message>
    <message>
        <source>what it would say anyway</source>
        <translation>was ohnehin gesagt würde</translation>
    </message>
    <message>
        <source>what is among the likeliest</source>
        <translation>was zum Wahrscheinlichsten gehört</translation>
    </message>
    <message>
        <source>what is nearly as likely</source>
        <translation>was fast so wahrscheinlich ist</translation>
    </message>
    <message>
        <source>sentences it finds fitting</source>
        <translation>Sätze, die es passend findet</translation>
    </message>
    <message>
        <source>Among the &amp;likeliest</source>
        <translation>&amp;Unter den wahrscheinlichsten</translation>
    </message>
    <message>
        <source>How many words count as likely enough.</source>
        <translation>Wie viele Wörter als wahrscheinlich genug gelten.</translation>
    </message>
    <message>
        <source>Further right, more of it is kept.</source>
        <translation>Weiter rechts wird mehr davon behalten.</translation>
    </message>
    <message>
        <source>Sooner if you have clearly finished, later if you clearly have not.</source>
        <translation>Früher, wo der Satz klar zu Ende ist, später, wo er es klar nicht ist.</translation>
    </message>
    <message>
        <source>Speaking &amp;rate</source>
        <translation>Sprech&amp;tempo</translation>
    </message>
    <message>
        <source>Natural, English</source>
        <translation>Natürlich, Englisch</translation>
    </message>
    <message>
        <source>eSpeak, all languages</source>
        <translation>eSpeak, alle Sprachen</translation>
    </message>
    <message>
        <source>Mac voice</source>
        <translation>Stimme des Mac</translation>
    </message>
    <message>
        <source>always the most likely words</source>
        <translation>immer die wahrscheinlichsten Wörter</translation>
    </message>
    <message>
        <source>A pause en&amp;ds my turn after</source>
        <translation>Eine Pause &amp;beendet den Beitrag nach</translation>
    </message>
    <message>
        <source>&amp;Voice</source>
        <translation>&amp;Stimme</translation>
    </message>
    <message>
        <source>{:.0f} words a minute</source>
        <translation>{:.0f} Wörter pro Minute</translation>
    </message>
    <message>
        <source>{} s</source>
        <translation>{} s</translation>
    </message>
    <message>
        <source>as heard</source>
        <translation>wie gehört</translation>
    </message>
    <message>
        <source>a little steadier</source>
        <translation>etwas stabiler</translation>
    </message>
    <message>
        <source>steady</source>
        <translation>stabil</translation>
    </message>
    <message>
        <source>very steady</source>
        <translation>sehr stabil</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>the newest word</source>
        <translation>das neueste Wort</translation>
    </message>
    <message>
        <source>the {:.0f} newest words</source>
        <translation>die {:.0f} neuesten Wörter</translation>
    </message>
</context>
<context>
    <name>Edits</name>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
</context>
<context>
    <name>EmptyConversation</name>
    <message>
        <source>Ask something</source>
        <translation>Einfach etwas fragen</translation>
    </message>
    <message>
        <source>It listens, thinks and speaks on this computer. Nothing leaves it.</source>
        <translation>Zuhören, Denken und Sprechen geschehen auf diesem Computer. Nichts verlässt ihn.</translation>
    </message>
    <message>
        <source>Get a model that answers in {}…</source>
        <translation>Ein Modell holen, das auf {} antwortet…</translation>
    </message>
    <message>
        <source>Get a model that answers anything ({})…</source>
        <translation>Ein Modell holen, das alles beantwortet ({}) …</translation>
    </message>
    <message>
        <source>It listens and speaks on this computer. Your questions go to {}.</source>
        <translation>Es hört und spricht auf diesem Computer. Die Fragen gehen an {}.</translation>
    </message>
    <message>
        <source>Hold the button below and speak, or type. Or try one of these:</source>
        <translation>Die Taste unten halten und sprechen, oder schreiben. Ein paar Vorschläge:</translation>
    </message>
    <message>
        <source>Start listening and speak, or type. Or try one of these:</source>
        <translation>Zuhören beginnen und sprechen, oder schreiben. Ein paar Vorschläge:</translation>
    </message>
    <message>
        <source>How do I make a good cup of tea?</source>
        <translation>How do I make a good cup of tea?</translation>
    </message>
    <message>
        <source>Tell me a short story.</source>
        <translation>Tell me a short story.</translation>
    </message>
    <message>
        <source>What is Earshot?</source>
        <translation>What is Earshot?</translation>
    </message>
    <message>
        <source>What did I miss?</source>
        <translation>Was habe ich verpasst?</translation>
    </message>
    <message>
        <source>Ask: {}</source>
        <translation>Fragen: {}</translation>
    </message>
</context>
<context>
    <name>EmptyStage</name>
    <message>
        <source>Read what is being said</source>
        <translation>Gesprochenes mitlesen</translation>
    </message>
    <message>
        <source>Or drop an audio file here. Nothing leaves this computer.</source>
        <translation>Oder eine Audiodatei hierher ziehen. Nichts verlässt diesen Computer.</translation>
    </message>
    <message>
        <source>Get a model that hears {}…</source>
        <translation>Ein Modell für {} holen…</translation>
    </message>
    <message>
        <source>Start and speak: your words appear here. Or play the demo to see what it looks like.</source>
        <translation>Starten und sprechen: Hier erscheint der Text. Die Demo zeigt, wie das aussieht.</translation>
    </message>
    <message>
        <source>No microphone was found. Play the demo to see what it looks like, or open an audio file.</source>
        <translation>Kein Mikrofon gefunden. Die Demo zeigt, wie es aussieht; auch eine Audiodatei lässt sich öffnen.</translation>
    </message>
</context>
<context>
    <name>ExchangeView</name>
    <message>
        <source>Copy answer</source>
        <translation>Antwort kopieren</translation>
    </message>
    <message>
        <source>Play answer again</source>
        <translation>Antwort wiederholen</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>You: {}</source>
        <translation>Sie: {}</translation>
    </message>
    <message>
        <source>Draft: {}</source>
        <translation>Entwurf: {}</translation>
    </message>
    <message>
        <source>Earshot: {}</source>
        <translation>Earshot: {}</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>Modell wird geladen…</translation>
    </message>
    <message>
        <source>Checking the draft…</source>
        <translation>Entwurf wird geprüft…</translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation>Denkt nach…</translation>
    </message>
    <message>
        <source>Ready to speak</source>
        <translation>Bereit zu sprechen</translation>
    </message>
    <message>
        <source>Draft answer</source>
        <translation>Entwurf der Antwort</translation>
    </message>
    <message>
        <source>Not answered</source>
        <translation>Nicht beantwortet</translation>
    </message>
    <message>
        <source>Interrupted: listening…</source>
        <translation>Unterbrochen: hört zu…</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>Unterbrochen</translation>
    </message>
    <message>
        <source>Undone</source>
        <translation>Rückgängig gemacht</translation>
    </message>
    <message>
        <source>No answer</source>
        <translation>Keine Antwort</translation>
    </message>
    <message>
        <source>first sound after {} s</source>
        <translation>erster Ton nach {} s</translation>
    </message>
    <message>
        <source>first sentence after {} s</source>
        <translation>erster Satz nach {} s</translation>
    </message>
    <message>
        <source>pause noticed after {} s</source>
        <translation>Pause bemerkt nach {} s</translation>
    </message>
    <message>
        <source>prepared in advance</source>
        <translation>vorab fertig</translation>
    </message>
    <message>
        <source>{} of {} drafted tokens kept</source>
        <translation>{} von {} Entwurfs-Token behalten</translation>
    </message>
    <message>
        <source>Times count from the end of your question.</source>
        <translation>Die Zeiten zählen ab dem Ende der Frage.</translation>
    </message>
    <message>
        <source>The coloured part of the newest answer was drafted while you were still speaking.</source>
        <translation>Der farbige Teil der neuesten Antwort entstand schon während der Frage.</translation>
    </message>
    <message>
        <source>The first sentence and its sound were ready before you had finished.</source>
        <translation>Der erste Satz und sein Ton waren fertig, bevor die Frage zu Ende war.</translation>
    </message>
    <message>
        <source>Checking the draft took {} s.</source>
        <translation>Den Entwurf zu prüfen dauerte {} s.</translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Only a &amp;part</source>
        <translation>Nur einen &amp;Teil</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>To</source>
        <translation>Bis</translation>
    </message>
    <message>
        <source>With &amp;times</source>
        <translation>Mit &amp;Zeiten</translation>
    </message>
    <message>
        <source>T&amp;imes of day</source>
        <translation>Uhr&amp;zeiten</translation>
    </message>
    <message>
        <source>With the &amp;delay of each word</source>
        <translation>Mit der &amp;Verzögerung jedes Wortes</translation>
    </message>
    <message>
        <source>With the &amp;notes</source>
        <translation>Mit den &amp;Notizen</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>E&amp;xportieren…</translation>
    </message>
    <message>
        <source>Sessions: {}</source>
        <translation>Sitzungen: {}</translation>
    </message>
    <message>
        <source>Nothing was said in this part.</source>
        <translation>In diesem Teil wurde nichts gesagt.</translation>
    </message>
    <message>
        <source>{} will be replaced. Continue?</source>
        <translation>{} wird ersetzt. Fortfahren?</translation>
    </message>
    <message>
        <source>Word document</source>
        <translation>Word-Dokument</translation>
    </message>
    <message>
        <source>Table for spreadsheets (CSV)</source>
        <translation>Tabelle (CSV)</translation>
    </message>
    <message>
        <source>Turns of the speakers (RTTM)</source>
        <translation>Redezeiten der Sprecher (RTTM)</translation>
    </message>
    <message>
        <source>Both, in separate files</source>
        <translation>Beides, in getrennten Dateien</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Pre&amp;view</source>
        <translation>&amp;Vorschau</translation>
    </message>
    <message>
        <source>Questions and answers: {}</source>
        <translation>Fragen und Antworten: {}</translation>
    </message>
    <message>
        <source>Captions: {}</source>
        <translation>Untertitel: {}</translation>
    </message>
    <message>
        <source>SubRip subtitles</source>
        <translation>SubRip-Untertitel</translation>
    </message>
    <message>
        <source>WebVTT subtitles</source>
        <translation>WebVTT-Untertitel</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>JSON, with the time of every word</source>
        <translation>JSON, mit der Zeit jedes Wortes</translation>
    </message>
    <message>
        <source>What was said, and its translation</source>
        <translation>Gesprochenes und Übersetzung</translation>
    </message>
    <message>
        <source>What was said</source>
        <translation>Gesprochenes</translation>
    </message>
    <message>
        <source>The translation</source>
        <translation>Übersetzung</translation>
    </message>
    <message>
        <source>The conversation</source>
        <translation>Die Unterhaltung</translation>
    </message>
    <message>
        <source>t&amp;o</source>
        <translation>&amp;bis</translation>
    </message>
    <message>
        <source>&amp;What</source>
        <translation>&amp;Inhalt</translation>
    </message>
    <message>
        <source>&amp;Format</source>
        <translation>&amp;Format</translation>
    </message>
</context>
<context>
    <name>FigureChart</name>
    <message>
        <source>Delay of words</source>
        <translation>Wortverzögerung</translation>
    </message>
    <message>
        <source>Real-time factor</source>
        <translation>Echtzeitfaktor</translation>
    </message>
    <message>
        <source>Flicker</source>
        <translation>Flackern</translation>
    </message>
    <message>
        <source>First sound</source>
        <translation>Erster Ton</translation>
    </message>
    <message>
        <source>Ready in time</source>
        <translation>Rechtzeitig fertig</translation>
    </message>
    <message>
        <source>was {}</source>
        <translation>zuvor {}</translation>
    </message>
    <message>
        <source>{:.0f}%</source>
        <translation>{:.0f} %</translation>
    </message>
    <message>
        <source>not measured yet</source>
        <translation>noch nicht gemessen</translation>
    </message>
    <message>
        <source>{} s</source>
        <translation>{} s</translation>
    </message>
    <message>
        <source>Guesses reused</source>
        <translation>Vermutungen genutzt</translation>
    </message>
    <message>
        <source>End noticed</source>
        <translation>Ende bemerkt</translation>
    </message>
    <message>
        <source>Not measured yet.</source>
        <translation>Noch nicht gemessen.</translation>
    </message>
    <message>
        <source>{} now</source>
        <translation>Jetzt {}</translation>
    </message>
    <message>
        <source>{} before the last change</source>
        <translation>vor der letzten Änderung {}</translation>
    </message>
    <message>
        <source>recently between {} and {}</source>
        <translation>zuletzt zwischen {} und {}</translation>
    </message>
    <message>
        <source>From the end of a word until it is confirmed.</source>
        <translation>Vom Ende eines Wortes, bis es bestätigt ist.</translation>
    </message>
    <message>
        <source>Computing time per second of sound. Below 1, captions keep up.</source>
        <translation>Rechenzeit je Sekunde Ton. Unter 1 halten die Untertitel Schritt.</translation>
    </message>
    <message>
        <source>Words that changed after they were shown, per hundred that stayed.</source>
        <translation>Wörter, die sich nach dem Anzeigen änderten, je hundert bleibende.</translation>
    </message>
    <message>
        <source>How much of the previous guess was still right at the next update.</source>
        <translation>Wie viel der letzten Vermutung beim erneuten Hören noch galt.</translation>
    </message>
    <message>
        <source>How much of the previous translation was still right when more was said.</source>
        <translation>Wie viel der letzten Übersetzung noch galt, als mehr gesagt war.</translation>
    </message>
    <message>
        <source>From the end of your question until Earshot noticed it.</source>
        <translation>Vom Ende der Frage, bis Earshot es bemerkte.</translation>
    </message>
    <message>
        <source>How often the first sentence was prepared in advance and could be used.</source>
        <translation>Wie oft der erste Satz vorab gesprochen und gebraucht wurde.</translation>
    </message>
    <message>
        <source>From the end of your question to the first sound of the answer.</source>
        <translation>Vom Ende der Frage bis zum ersten Ton der Antwort.</translation>
    </message>
    <message>
        <source>How much of the answer that was prepared while you spoke could be used.</source>
        <translation>Wie viel der beim Sprechen vorbereiteten Antwort zu gebrauchen war.</translation>
    </message>
</context>
<context>
    <name>FileQuestion</name>
    <message>
        <source>Open a recording</source>
        <translation>Aufnahme öffnen</translation>
    </message>
    <message>
        <source>&amp;Transcribe it</source>
        <translation>&amp;Mitschreiben lassen</translation>
    </message>
    <message>
        <source>&amp;Play and caption it</source>
        <translation>Mit Untertiteln &amp;abspielen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>As fast as this computer can, with the fewest mistakes.</source>
        <translation>So schnell dieser Computer kann, mit den wenigsten Fehlern.</translation>
    </message>
    <message>
        <source>You hear it and read along; words appear as they are spoken.</source>
        <translation>Zum Mithören und Mitlesen: Die Wörter erscheinen, sobald sie gesprochen sind.</translation>
    </message>
    <message>
        <source>You hear it and read along: {}.</source>
        <translation>Zum Mithören und Mitlesen: {}.</translation>
    </message>
    <message>
        <source>{}, with the fewest mistakes.</source>
        <translation>{}, mit den wenigsten Fehlern.</translation>
    </message>
    <message>
        <source>Takes less than a minute</source>
        <translation>Dauert weniger als eine Minute</translation>
    </message>
    <message>
        <source>Takes about {} min</source>
        <translation>Dauert etwa {} min</translation>
    </message>
    <message>
        <source>Takes about {} h</source>
        <translation>Dauert etwa {} h</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in transcript</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Places found</source>
        <translation>Fundstellen</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>Vorherige</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Nächste</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>{} of {}</source>
        <translation>{} von {}</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Nicht gefunden</translation>
    </message>
</context>
<context>
    <name>FirstStep</name>
    <message>
        <source>Welcome to Earshot</source>
        <translation>Willkommen bei Earshot</translation>
    </message>
    <message>
        <source>Everything happens on this computer. Nothing you say leaves it.</source>
        <translation>Alles geschieht auf diesem Computer. Kein Wort verlässt ihn.</translation>
    </message>
    <message>
        <source>Live captions</source>
        <translation>Live-Untertitel</translation>
    </message>
    <message>
        <source>Shows what is said in a meeting, a film or a recording, in the window or floating above it. What was shown is kept at once: not even a crash loses it.</source>
        <translation>Zeigt, was in einer Besprechung, einem Film oder einer Aufnahme gesagt wird, im Fenster oder schwebend darüber. Was dasteht, ist schon aufbewahrt: nicht einmal ein Absturz nimmt es mit.</translation>
    </message>
    <message>
        <source>Writes another language below each caption while it is being spoken. Words on the screen rarely change.</source>
        <translation>Schreibt eine andere Sprache unter jeden Untertitel, während noch gesprochen wird. Wörter, die dastehen, ändern sich selten.</translation>
    </message>
    <message>
        <source>Both sides of a call, and dictation</source>
        <translation>Beide Seiten eines Anrufs, und Diktat</translation>
    </message>
    <message>
        <source>Tells you apart from the others, over loudspeakers, too. Types what you say into any program, while you speak.</source>
        <translation>Trennt das hier Gesagte von den anderen, auch über Lautsprecher. Schreibt Diktiertes in jedes Programm, während noch gesprochen wird.</translation>
    </message>
    <message>
        <source>Answers your questions, and often starts before you finish.</source>
        <translation>Beantwortet Fragen und fängt oft schon an, bevor sie zu Ende sind.</translation>
    </message>
    <message>
        <source>Live translation</source>
        <translation>Live-Übersetzung</translation>
    </message>
    <message>
        <source>A voice assistant</source>
        <translation>Ein Sprachassistent</translation>
    </message>
</context>
<context>
    <name>GeneralSettings</name>
    <message>
        <source>&amp;Colours</source>
        <translation>&amp;Farben</translation>
    </message>
    <message>
        <source>Same as system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Aussehen</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation>Hoher Kontrast</translation>
    </message>
    <message>
        <source>&amp;Language of Earshot</source>
        <translation>&amp;Sprache von Earshot</translation>
    </message>
    <message>
        <source>Takes effect the next time Earshot starts.</source>
        <translation>Gilt ab dem nächsten Start von Earshot.</translation>
    </message>
    <message>
        <source>Show &amp;details</source>
        <translation>&amp;Details anzeigen</translation>
    </message>
    <message>
        <source>How quick everything is, where models come from, and settings for experts.</source>
        <translation>Wie schnell alles ist, woher Modelle kommen, und Einstellungen für Fachleute.</translation>
    </message>
    <message>
        <source>Show ti&amp;mes of day</source>
        <translation>Uhr&amp;zeiten anzeigen</translation>
    </message>
    <message>
        <source>Beside captions, instead of the time since the recording began.</source>
        <translation>Neben Untertiteln, statt der Zeit seit Beginn der Aufnahme.</translation>
    </message>
    <message>
        <source>For the window; the overlay has its own.</source>
        <translation>Im Fenster; schwebende Untertitel haben eine eigene.</translation>
    </message>
    <message>
        <source>Works even when another program is in front.</source>
        <translation>Geht auch, während andere Programme vorn sind.</translation>
    </message>
    <message>
        <source>macOS does not tell whether another program has the same keys: choose some of your own.</source>
        <translation>macOS sagt nicht, ob ein anderes Programm dieselben Tasten hat: Bitte eigene wählen.</translation>
    </message>
    <message>
        <source>D&amp;ictate</source>
        <translation>Di&amp;ktieren</translation>
    </message>
    <message>
        <source>Types what you say into the program in front, until you press it again.</source>
        <translation>Schreibt, was gesagt wird, in das vordere Programm, bis man sie erneut drückt.</translation>
    </message>
    <message>
        <source>Global shortcuts</source>
        <translation>Globale Tastenkürzel</translation>
    </message>
    <message>
        <source>Captions and the overlay keep running when the window is closed; the icon brings it back.</source>
        <translation>Untertitel laufen weiter, wenn das Fenster geschlossen ist; das Symbol holt es zurück.</translation>
    </message>
    <message>
        <source>This desktop cannot show icons for programs in the background.</source>
        <translation>Dieser Desktop zeigt keine Symbole von Programmen im Hintergrund.</translation>
    </message>
    <message>
        <source>A notice asks as soon as another program has used a microphone for five seconds.</source>
        <translation>Eine Meldung fragt, sobald ein anderes Programm fünf Sekunden lang ein Mikrofon benutzt hat.</translation>
    </message>
    <message>
        <source>This system does not say which programs use a microphone.</source>
        <translation>Dieses System verrät nicht, welche Programme ein Mikrofon benutzen.</translation>
    </message>
    <message>
        <source>&amp;Offer captions when a meeting begins</source>
        <translation>Untertitel zu Besprechungen an&amp;bieten</translation>
    </message>
    <message>
        <source>&amp;Never ask for</source>
        <translation>&amp;Nie fragen bei</translation>
    </message>
    <message>
        <source>Names of programs, one a line, as the notice calls them.</source>
        <translation>Namen von Programmen, einer je Zeile, wie die Meldung sie nennt.</translation>
    </message>
    <message>
        <source>Start &amp;without asking for</source>
        <translation>&amp;Ohne Frage beginnen bei</translation>
    </message>
    <message>
        <source>Captions of these programs begin and end by themselves.</source>
        <translation>Untertitel dieser Programme beginnen und enden von selbst.</translation>
    </message>
    <message>
        <source>Meetings</source>
        <translation>Besprechungen</translation>
    </message>
    <message>
        <source>Asks {} for its number, and tells nothing. Off, only the Help menu asks.</source>
        <translation>Fragt {} nach der Nummer und verrät nichts. Sonst fragt nur das Hilfemenü.</translation>
    </message>
    <message>
        <source>This Earshot does not say where its releases are.</source>
        <translation>Dieses Earshot sagt nicht, wo seine Versionen zu finden sind.</translation>
    </message>
    <message>
        <source>Loo&amp;k for a newer Earshot every week</source>
        <translation>Wöchentlich nach neuem Earshot se&amp;hen</translation>
    </message>
    <message>
        <source>Newer versions</source>
        <translation>Neuere Versionen</translation>
    </message>
    <message>
        <source>&amp;Text size of captions</source>
        <translation>&amp;Textgröße der Untertitel</translation>
    </message>
    <message>
        <source>High contrast follows the system: light or dark.</source>
        <translation>Hoher Kontrast richtet sich nach dem System: hell oder dunkel.</translation>
    </message>
    <message>
        <source>{:.0f} points</source>
        <translation>{:.0f} Punkt</translation>
    </message>
    <message>
        <source>&amp;Start and stop captions</source>
        <translation>&amp;Untertitel starten und beenden</translation>
    </message>
    <message>
        <source>Talk to the &amp;assistant</source>
        <translation>Mit dem &amp;Assistenten sprechen</translation>
    </message>
    <message>
        <source>Hold it while you speak.</source>
        <translation>Beim Sprechen gedrückt halten.</translation>
    </message>
    <message>
        <source>Sta&amp;y in the tray when the window is closed</source>
        <translation>Im &amp;Infobereich weiterlaufen</translation>
    </message>
    <message>
        <source>In the background</source>
        <translation>Im Hintergrund</translation>
    </message>
</context>
<context>
    <name>GlossaryRow</name>
    <message>
        <source>neural network = neuronales Netz</source>
        <translation>neural network = neuronales Netz</translation>
    </message>
</context>
<context>
    <name>GlyphWatch</name>
    <message>
        <source>No font on this computer can show “{}” ({}). Install one for its script, for example from the Noto family.</source>
        <translation>Keine Schrift auf diesem Computer kann „{}“ ({}) darstellen. Abhilfe schafft eine Schrift dafür, etwa aus der Familie Noto.</translation>
    </message>
</context>
<context>
    <name>HeaderBar</name>
    <message>
        <source>&amp;Listen to</source>
        <translation>&amp;Quelle</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
</context>
<context>
    <name>HistoryActions</name>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>E&amp;xport…</source>
        <translation>E&amp;xportieren…</translation>
    </message>
    <message>
        <source>Translate…</source>
        <translation>Übersetzen…</translation>
    </message>
    <message>
        <source>&amp;Rename</source>
        <translation>Umb&amp;enennen</translation>
    </message>
    <message>
        <source>Find spea&amp;kers</source>
        <translation>&amp;Sprecher finden</translation>
    </message>
    <message>
        <source>E&amp;xport {}…</source>
        <translation>{} e&amp;xportieren…</translation>
    </message>
    <message>
        <source>&amp;Delete</source>
        <translation>&amp;Löschen</translation>
    </message>
    <message>
        <source>Show de&amp;lays</source>
        <translation>&amp;Verzögerungen anzeigen</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>Ö&amp;ffnen</translation>
    </message>
    <message>
        <source>&amp;Transcribe again…</source>
        <translation>Erneut mits&amp;chreiben…</translation>
    </message>
    <message>
        <source>&amp;Join into one</source>
        <translation>Zu einer &amp;verbinden</translation>
    </message>
    <message>
        <source>&amp;Show in folder</source>
        <translation>&amp;Im Ordner zeigen</translation>
    </message>
    <message>
        <source>&amp;Play</source>
        <translation>Abs&amp;pielen</translation>
    </message>
    <message>
        <source>&amp;Back 5 s</source>
        <translation>5 s &amp;zurück</translation>
    </message>
    <message>
        <source>C&amp;orrect…</source>
        <translation>&amp;Berichtigen…</translation>
    </message>
    <message>
        <source>Replace &amp;all…</source>
        <translation>Alles &amp;ersetzen…</translation>
    </message>
    <message>
        <source>&amp;Mark</source>
        <translation>&amp;Markieren</translation>
    </message>
    <message>
        <source>Next mar&amp;k</source>
        <translation>Nächste Mar&amp;ke</translation>
    </message>
    <message>
        <source>Back to the list</source>
        <translation>Zurück zur Liste</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Nächster Treffer</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Vorheriger Treffer</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Keep history</source>
        <translation>Verlauf &amp;führen</translation>
    </message>
    <message>
        <source>&amp;Delete {}</source>
        <translation>{} &amp;löschen</translation>
    </message>
    <message>
        <source>Split “{}” by &amp;voice</source>
        <translation>„{}“ nach Stimmen &amp;teilen</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;Pause</translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>The history cannot be opened</source>
        <translation>Der Verlauf lässt sich nicht öffnen</translation>
    </message>
    <message>
        <source>Nothing has been said yet</source>
        <translation>Noch wurde nichts gesagt</translation>
    </message>
    <message>
        <source>Everything captioned, translated or answered from now on can be found here again. It stays on this computer, where only you can read it.</source>
        <translation>Alles, was von nun an untertitelt, übersetzt oder beantwortet wird, ist hier wiederzufinden. Es bleibt auf diesem Computer, und niemand sonst kann es lesen.</translation>
    </message>
    <message>
        <source>Nothing that is said is kept once it leaves the screen.</source>
        <translation>Was gesagt wird, ist fort, sobald es vom Bildschirm verschwindet.</translation>
    </message>
    <message>
        <source>History is off</source>
        <translation>Der Verlauf ist ausgeschaltet</translation>
    </message>
    <message>
        <source>It ended unexpectedly. Everything up to then is here.</source>
        <translation>Die Sitzung endete unerwartet. Alles bis dahin ist hier.</translation>
    </message>
    <message>
        <source>It cannot be played: “{}” is not there any more.</source>
        <translation>Es kann nicht abgespielt werden: „{}“ ist nicht mehr da.</translation>
    </message>
    <message>
        <source>Choose a session to read it.</source>
        <translation>Zum Lesen eine Sitzung wählen.</translation>
    </message>
</context>
<context>
    <name>HistorySettings</name>
    <message>
        <source>Captions, translations and conversations are kept on this computer alone.</source>
        <translation>Untertitel, Übersetzungen und Unterhaltungen bleiben allein auf diesem Computer.</translation>
    </message>
    <message>
        <source>&amp;Keep a history</source>
        <translation>&amp;Verlauf führen</translation>
    </message>
    <message>
        <source>When off, nothing that is said from now on is saved.</source>
        <translation>Ausgeschaltet wird von nun an nichts Gesagtes gespeichert.</translation>
    </message>
    <message>
        <source>Delete &amp;automatically</source>
        <translation>Au&amp;tomatisch löschen</translation>
    </message>
    <message>
        <source>Older sessions are deleted for good.</source>
        <translation>Ältere Sitzungen werden endgültig gelöscht.</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
    <message>
        <source>After a day</source>
        <translation>Nach einem Tag</translation>
    </message>
    <message>
        <source>After a week</source>
        <translation>Nach einer Woche</translation>
    </message>
    <message>
        <source>After 30 days</source>
        <translation>Nach 30 Tagen</translation>
    </message>
    <message>
        <source>After 90 days</source>
        <translation>Nach 90 Tagen</translation>
    </message>
    <message>
        <source>After a year</source>
        <translation>Nach einem Jahr</translation>
    </message>
    <message>
        <source>Keep the audi&amp;o of captions</source>
        <translation>T&amp;on der Untertitel aufheben</translation>
    </message>
    <message>
        <source>What was said can then be heard again in the history. It is deleted with its session.</source>
        <translation>Gesprochenes lässt sich dann im Verlauf wieder anhören. Der Ton wird mit seiner Sitzung gelöscht.</translation>
    </message>
    <message>
        <source>&amp;Recognise voices again</source>
        <translation>Stimmen &amp;wiedererkennen</translation>
    </message>
    <message>
        <source>A speaker whom you name while captions run has that name in later recordings, too. A print of the voice is kept for that. Switching this off deletes all of them.</source>
        <translation>Wer während der Untertitel einen Namen bekommt, heißt auch in späteren Aufnahmen so. Dafür wird ein Abdruck der Stimme aufbewahrt. Das Ausschalten löscht sie alle.</translation>
    </message>
    <message>
        <source>The assistant&apos;s model writes &amp;notes</source>
        <translation>Modell des Assistenten schreibt &amp;Notizen</translation>
    </message>
    <message>
        <source>The starter cannot, and lines are chosen instead. No model is recommended for it yet: the largest that was measured, of 1.5 billion parameters, found fewer decisions and tasks than chosen lines do.</source>
        <translation>Das mitgelieferte kann das nicht, dann werden Zeilen ausgewählt. Empfohlen wird dafür noch keines: Das größte gemessene, mit 1,5 Milliarden Parametern, fand weniger Beschlüsse und Aufgaben als die Auswahl von Zeilen.</translation>
    </message>
    <message>
        <source>Voices that are recognised</source>
        <translation>Stimmen, die wiedererkannt werden</translation>
    </message>
    <message>
        <source>&amp;Forget this voice</source>
        <translation>Diese Stimme ver&amp;gessen</translation>
    </message>
    <message>
        <source>&amp;Delete everything…</source>
        <translation>&amp;Alles löschen…</translation>
    </message>
    <message>
        <source>Delete the whole history</source>
        <translation>Den ganzen Verlauf löschen</translation>
    </message>
    <message>
        <source>Voices</source>
        <translation>Stimmen</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Audio that is kept now: {}</source>
        <translation>Aufgehobener Ton: {}</translation>
    </message>
    <message>
        <source>Delete the history</source>
        <translation>Verlauf löschen</translation>
    </message>
    <message>
        <source>Delete the whole history?</source>
        <translation>Den ganzen Verlauf löschen?</translation>
    </message>
    <message>
        <source>All saved captions, translations and conversations will be deleted for good.</source>
        <translation>Alle gespeicherten Untertitel, Übersetzungen und Unterhaltungen werden endgültig gelöscht.</translation>
    </message>
    <message>
        <source>So will the sound that was kept ({}).</source>
        <translation>Auch der aufgehobene Ton ({}) wird gelöscht.</translation>
    </message>
    <message>
        <source>&amp;Delete everything</source>
        <translation>&amp;Alles löschen</translation>
    </message>
</context>
<context>
    <name>HistoryWiring</name>
    <message>
        <source>Everything is saved again; nothing is missing.</source>
        <translation>Alles wird wieder gespeichert, und nichts fehlt.</translation>
    </message>
    <message>
        <source>All words are saved again. The sound is missing from {} on.</source>
        <translation>Alle Wörter sind wieder gespeichert. Der Ton fehlt ab {}.</translation>
    </message>
    <message>
        <source>Earshot ended unexpectedly. Everything that was said up to then is in the history.</source>
        <translation>Earshot wurde unerwartet beendet. Alles, was bis dahin gesagt wurde, ist im Verlauf.</translation>
    </message>
</context>
<context>
    <name>Hotkeys</name>
    <message>
        <source>Start and stop captions</source>
        <translation>Untertitel starten und beenden</translation>
    </message>
    <message>
        <source>Talk to the assistant</source>
        <translation>Mit dem Assistenten sprechen</translation>
    </message>
    <message>
        <source>Dictate into the program in front</source>
        <translation>In das vordere Programm diktieren</translation>
    </message>
    <message>
        <source>Another program already uses {}. Choose other keys.</source>
        <translation>{} wird schon von einem anderen Programm verwendet. Bitte andere Tasten wählen.</translation>
    </message>
    <message>
        <source>{} is needed for typing. Add Ctrl, Alt or Meta.</source>
        <translation>{} wird zum Schreiben gebraucht. Bitte Strg, Alt oder Meta dazunehmen.</translation>
    </message>
    <message>
        <source>The desktop did not allow {}. Try its own keyboard settings.</source>
        <translation>Der Desktop hat {} nicht erlaubt. Vielleicht geht es in seinen eigenen Tasteneinstellungen.</translation>
    </message>
    <message>
        <source>This desktop does not offer global shortcuts to programs.</source>
        <translation>Dieser Desktop bietet Programmen keine globalen Tastenkürzel.</translation>
    </message>
    <message>
        <source>{} types a character on a Mac. Add ⌃ or ⌘.</source>
        <translation>{} schreibt auf einem Mac ein Zeichen. ⌃ oder ⌘ dazunehmen.</translation>
    </message>
    <message>
        <source>There is no {} on this keyboard. Choose other keys.</source>
        <translation>Diese Tastatur hat kein {}. Bitte andere Tasten wählen.</translation>
    </message>
    <message>
        <source>The desktop did not respond when asked for {}. Choose the keys again.</source>
        <translation>Der Desktop hat auf die Bitte um {} nicht geantwortet. Bitte die Tasten noch einmal wählen.</translation>
    </message>
</context>
<context>
    <name>InputBox</name>
    <message>
        <source>Default microphone</source>
        <translation>Standardmikrofon</translation>
    </message>
    <message>
        <source>What this computer plays: {}</source>
        <translation>Ton dieses Computers: {}</translation>
    </message>
</context>
<context>
    <name>InputChooser</name>
    <message>
        <source>Input</source>
        <translation>Eingang</translation>
    </message>
    <message>
        <source>Default microphone</source>
        <translation>Standardmikrofon</translation>
    </message>
</context>
<context>
    <name>Interpreter</name>
    <message>
        <source>The translation is not spoken, because it would be captioned: choose another device for it.</source>
        <translation>Die Übersetzung wird nicht gesprochen, weil sie selbst Untertitel bekäme: dafür ein anderes Gerät wählen.</translation>
    </message>
</context>
<context>
    <name>InterpreterRows</name>
    <message>
        <source>S&amp;peak the translation</source>
        <translation>Übersetzung s&amp;prechen</translation>
    </message>
    <message>
        <source>Aloud while somebody speaks, for headphones. What was said is never taken back.</source>
        <translation>Laut, während jemand spricht, für Kopfhörer. Gesagtes wird nie zurückgenommen.</translation>
    </message>
    <message>
        <source>Same as the assistant</source>
        <translation>Wie der Assistent</translation>
    </message>
    <message>
        <source>Spea&amp;k through</source>
        <translation>Sprechen ü&amp;ber</translation>
    </message>
    <message>
        <source>Device of the spoken translation</source>
        <translation>Gerät der gesprochenen Übersetzung</translation>
    </message>
</context>
<context>
    <name>JobRow</name>
    <message>
        <source>Progress of {}</source>
        <translation>Fortschritt von {}</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancel {}</source>
        <translation>{} abbrechen</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Lesen</translation>
    </message>
    <message>
        <source>Read {}</source>
        <translation>{} lesen</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Speichern unter…</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
    <message>
        <source>Show {} in its folder</source>
        <translation>{} in seinem Ordner zeigen</translation>
    </message>
    <message>
        <source>Save the transcript of {}</source>
        <translation>Mitschrift von {} speichern</translation>
    </message>
    <message>
        <source>The transcript is in the history.</source>
        <translation>Die Mitschrift steht im Verlauf.</translation>
    </message>
    <message>
        <source>Telling the speakers apart: {:.0f}% done</source>
        <translation>Sprecher werden unterschieden: {:.0f} % fertig</translation>
    </message>
    <message>
        <source>{:.0f}% done</source>
        <translation>{:.0f} % fertig</translation>
    </message>
    <message>
        <source>Done. Written to {}.</source>
        <translation>Fertig. Geschrieben: {}.</translation>
    </message>
    <message>
        <source>Done. Kept in the history, which was on when you asked for this.</source>
        <translation>Fertig. Im Verlauf gespeichert: Beim Hinzufügen war er noch eingeschaltet.</translation>
    </message>
    <message>
        <source>Done.</source>
        <translation>Fertig.</translation>
    </message>
    <message>
        <source>Done. No speech was heard.</source>
        <translation>Fertig. Es wurde keine Sprache gehört.</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>Das Modell wird geladen…</translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation>Wird gespeichert…</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>less than a minute left</source>
        <translation>noch weniger als eine Minute</translation>
    </message>
    <message>
        <source>about {} min left</source>
        <translation>noch etwa {} min</translation>
    </message>
    <message>
        <source>about {} h left</source>
        <translation>noch etwa {} h</translation>
    </message>
</context>
<context>
    <name>KnownWords</name>
    <message>
        <source>&amp;Know “{}” from now on</source>
        <translation>„{}“ künfti&amp;g kennen</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>“{}” is among the words to know now.</source>
        <translation>„{}“ gehört jetzt zu den bekannten Wörtern.</translation>
    </message>
</context>
<context>
    <name>Language</name>
    <message>
        <source>Afrikaans</source>
        <translation>Afrikaans</translation>
    </message>
    <message>
        <source>Albanian</source>
        <translation>Albanisch</translation>
    </message>
    <message>
        <source>Amharic</source>
        <translation>Amharisch</translation>
    </message>
    <message>
        <source>Arabic</source>
        <translation>Arabisch</translation>
    </message>
    <message>
        <source>Armenian</source>
        <translation>Armenisch</translation>
    </message>
    <message>
        <source>Assamese</source>
        <translation>Assamesisch</translation>
    </message>
    <message>
        <source>Azerbaijani</source>
        <translation>Aserbaidschanisch</translation>
    </message>
    <message>
        <source>Bashkir</source>
        <translation>Baschkirisch</translation>
    </message>
    <message>
        <source>Basque</source>
        <translation>Baskisch</translation>
    </message>
    <message>
        <source>Belarusian</source>
        <translation>Belarussisch</translation>
    </message>
    <message>
        <source>Bengali</source>
        <translation>Bengalisch</translation>
    </message>
    <message>
        <source>Bosnian</source>
        <translation>Bosnisch</translation>
    </message>
    <message>
        <source>Brazilian Portuguese</source>
        <translation>Brasilianisches Portugiesisch</translation>
    </message>
    <message>
        <source>Breton</source>
        <translation>Bretonisch</translation>
    </message>
    <message>
        <source>Bulgarian</source>
        <translation>Bulgarisch</translation>
    </message>
    <message>
        <source>Burmese</source>
        <translation>Birmanisch</translation>
    </message>
    <message>
        <source>Cantonese</source>
        <translation>Kantonesisch</translation>
    </message>
    <message>
        <source>Catalan</source>
        <translation>Katalanisch</translation>
    </message>
    <message>
        <source>Chinese</source>
        <translation>Chinesisch</translation>
    </message>
    <message>
        <source>Croatian</source>
        <translation>Kroatisch</translation>
    </message>
    <message>
        <source>Czech</source>
        <translation>Tschechisch</translation>
    </message>
    <message>
        <source>Danish</source>
        <translation>Dänisch</translation>
    </message>
    <message>
        <source>Dutch</source>
        <translation>Niederländisch</translation>
    </message>
    <message>
        <source>English</source>
        <translation>Englisch</translation>
    </message>
    <message>
        <source>Esperanto</source>
        <translation>Esperanto</translation>
    </message>
    <message>
        <source>Estonian</source>
        <translation>Estnisch</translation>
    </message>
    <message>
        <source>Faroese</source>
        <translation>Färöisch</translation>
    </message>
    <message>
        <source>Finnish</source>
        <translation>Finnisch</translation>
    </message>
    <message>
        <source>French</source>
        <translation>Französisch</translation>
    </message>
    <message>
        <source>Galician</source>
        <translation>Galicisch</translation>
    </message>
    <message>
        <source>Georgian</source>
        <translation>Georgisch</translation>
    </message>
    <message>
        <source>German</source>
        <translation>Deutsch</translation>
    </message>
    <message>
        <source>Greek</source>
        <translation>Griechisch</translation>
    </message>
    <message>
        <source>Gujarati</source>
        <translation>Gujarati</translation>
    </message>
    <message>
        <source>Haitian Creole</source>
        <translation>Haitianisch</translation>
    </message>
    <message>
        <source>Hausa</source>
        <translation>Hausa</translation>
    </message>
    <message>
        <source>Hawaiian</source>
        <translation>Hawaiisch</translation>
    </message>
    <message>
        <source>Hebrew</source>
        <translation>Hebräisch</translation>
    </message>
    <message>
        <source>Hindi</source>
        <translation>Hindi</translation>
    </message>
    <message>
        <source>Hungarian</source>
        <translation>Ungarisch</translation>
    </message>
    <message>
        <source>Icelandic</source>
        <translation>Isländisch</translation>
    </message>
    <message>
        <source>Indonesian</source>
        <translation>Indonesisch</translation>
    </message>
    <message>
        <source>Irish</source>
        <translation>Irisch</translation>
    </message>
    <message>
        <source>Italian</source>
        <translation>Italienisch</translation>
    </message>
    <message>
        <source>Japanese</source>
        <translation>Japanisch</translation>
    </message>
    <message>
        <source>Javanese</source>
        <translation>Javanisch</translation>
    </message>
    <message>
        <source>Kannada</source>
        <translation>Kannada</translation>
    </message>
    <message>
        <source>Kazakh</source>
        <translation>Kasachisch</translation>
    </message>
    <message>
        <source>Khmer</source>
        <translation>Khmer</translation>
    </message>
    <message>
        <source>Korean</source>
        <translation>Koreanisch</translation>
    </message>
    <message>
        <source>Lao</source>
        <translation>Laotisch</translation>
    </message>
    <message>
        <source>Latin</source>
        <translation>Latein</translation>
    </message>
    <message>
        <source>Latvian</source>
        <translation>Lettisch</translation>
    </message>
    <message>
        <source>Lingala</source>
        <translation>Lingala</translation>
    </message>
    <message>
        <source>Lithuanian</source>
        <translation>Litauisch</translation>
    </message>
    <message>
        <source>Luxembourgish</source>
        <translation>Luxemburgisch</translation>
    </message>
    <message>
        <source>Macedonian</source>
        <translation>Mazedonisch</translation>
    </message>
    <message>
        <source>Malagasy</source>
        <translation>Madagassisch</translation>
    </message>
    <message>
        <source>Malay</source>
        <translation>Malaiisch</translation>
    </message>
    <message>
        <source>Malayalam</source>
        <translation>Malayalam</translation>
    </message>
    <message>
        <source>Maltese</source>
        <translation>Maltesisch</translation>
    </message>
    <message>
        <source>Maori</source>
        <translation>Maori</translation>
    </message>
    <message>
        <source>Marathi</source>
        <translation>Marathi</translation>
    </message>
    <message>
        <source>Mongolian</source>
        <translation>Mongolisch</translation>
    </message>
    <message>
        <source>Nepali</source>
        <translation>Nepalesisch</translation>
    </message>
    <message>
        <source>Norwegian</source>
        <translation>Norwegisch</translation>
    </message>
    <message>
        <source>Norwegian Bokmål</source>
        <translation>Norwegisch (Bokmål)</translation>
    </message>
    <message>
        <source>Norwegian Nynorsk</source>
        <translation>Norwegisch (Nynorsk)</translation>
    </message>
    <message>
        <source>Occitan</source>
        <translation>Okzitanisch</translation>
    </message>
    <message>
        <source>Pashto</source>
        <translation>Paschtu</translation>
    </message>
    <message>
        <source>Persian</source>
        <translation>Persisch</translation>
    </message>
    <message>
        <source>Polish</source>
        <translation>Polnisch</translation>
    </message>
    <message>
        <source>Portuguese</source>
        <translation>Portugiesisch</translation>
    </message>
    <message>
        <source>Punjabi</source>
        <translation>Pandschabi</translation>
    </message>
    <message>
        <source>Romanian</source>
        <translation>Rumänisch</translation>
    </message>
    <message>
        <source>Russian</source>
        <translation>Russisch</translation>
    </message>
    <message>
        <source>Sanskrit</source>
        <translation>Sanskrit</translation>
    </message>
    <message>
        <source>Serbian</source>
        <translation>Serbisch</translation>
    </message>
    <message>
        <source>Shona</source>
        <translation>Shona</translation>
    </message>
    <message>
        <source>Simplified Chinese</source>
        <translation>Chinesisch (vereinfacht)</translation>
    </message>
    <message>
        <source>Sindhi</source>
        <translation>Sindhi</translation>
    </message>
    <message>
        <source>Sinhala</source>
        <translation>Singhalesisch</translation>
    </message>
    <message>
        <source>Slovak</source>
        <translation>Slowakisch</translation>
    </message>
    <message>
        <source>Slovenian</source>
        <translation>Slowenisch</translation>
    </message>
    <message>
        <source>Somali</source>
        <translation>Somali</translation>
    </message>
    <message>
        <source>Spanish</source>
        <translation>Spanisch</translation>
    </message>
    <message>
        <source>Sundanese</source>
        <translation>Sundanesisch</translation>
    </message>
    <message>
        <source>Swahili</source>
        <translation>Suaheli</translation>
    </message>
    <message>
        <source>Swedish</source>
        <translation>Schwedisch</translation>
    </message>
    <message>
        <source>Tagalog</source>
        <translation>Tagalog</translation>
    </message>
    <message>
        <source>Tajik</source>
        <translation>Tadschikisch</translation>
    </message>
    <message>
        <source>Tamil</source>
        <translation>Tamil</translation>
    </message>
    <message>
        <source>Tatar</source>
        <translation>Tatarisch</translation>
    </message>
    <message>
        <source>Telugu</source>
        <translation>Telugu</translation>
    </message>
    <message>
        <source>Thai</source>
        <translation>Thailändisch</translation>
    </message>
    <message>
        <source>Tibetan</source>
        <translation>Tibetisch</translation>
    </message>
    <message>
        <source>Traditional Chinese</source>
        <translation>Chinesisch (traditionell)</translation>
    </message>
    <message>
        <source>Turkish</source>
        <translation>Türkisch</translation>
    </message>
    <message>
        <source>Turkmen</source>
        <translation>Turkmenisch</translation>
    </message>
    <message>
        <source>Ukrainian</source>
        <translation>Ukrainisch</translation>
    </message>
    <message>
        <source>Urdu</source>
        <translation>Urdu</translation>
    </message>
    <message>
        <source>Uzbek</source>
        <translation>Usbekisch</translation>
    </message>
    <message>
        <source>Vietnamese</source>
        <translation>Vietnamesisch</translation>
    </message>
    <message>
        <source>Welsh</source>
        <translation>Walisisch</translation>
    </message>
    <message>
        <source>Xhosa</source>
        <translation>Xhosa</translation>
    </message>
    <message>
        <source>Yiddish</source>
        <translation>Jiddisch</translation>
    </message>
    <message>
        <source>Yoruba</source>
        <translation>Yoruba</translation>
    </message>
    <message>
        <source>Zulu</source>
        <translation>Zulu</translation>
    </message>
</context>
<context>
    <name>LastStep</name>
    <message>
        <source>Offer captions when a &amp;meeting begins</source>
        <translation>Untertitel zu Besprechungen an&amp;bieten</translation>
    </message>
    <message>
        <source>Play the &amp;demo</source>
        <translation>De&amp;mo abspielen</translation>
    </message>
    <message>
        <source>&amp;Start captions</source>
        <translation>Untertitel s&amp;tarten</translation>
    </message>
    <message>
        <source>Two minutes of a talk, captioned while you hear it. Nothing else is needed.</source>
        <translation>Zwei Minuten eines Vortrags, mit Untertiteln, während er zu hören ist. Mehr braucht es nicht.</translation>
    </message>
    <message>
        <source>Of what your microphone hears, until you stop them. At the top of the window you can choose what the computer plays instead, or both.</source>
        <translation>Für das, was das Mikrofon hört, bis man sie anhält. Oben im Fenster lässt sich stattdessen wählen, was der Computer spielt, oder beides.</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>{}: all shortcuts. This welcome can be opened again from the Help menu.</source>
        <translation>{}: alle Tastenkürzel. Dieses Willkommen lässt sich im Menü „Hilfe“ wieder öffnen.</translation>
    </message>
    <message>
        <source>{}: the overlay, captions above all other windows.</source>
        <translation>{}: schwebende Untertitel, über allen anderen Fenstern.</translation>
    </message>
    <message>
        <source>{}: the history. What was said stays on this computer.</source>
        <translation>{}: der Verlauf. Was gesagt wurde, bleibt auf diesem Computer.</translation>
    </message>
</context>
<context>
    <name>LevelMeter</name>
    <message>
        <source>Input level</source>
        <translation>Eingangspegel</translation>
    </message>
    <message>
        <source>How loud the input is</source>
        <translation>Wie laut der Eingang ist</translation>
    </message>
</context>
<context>
    <name>Levels</name>
    <message>
        <source>Input level: {}</source>
        <translation>Eingangspegel: {}</translation>
    </message>
</context>
<context>
    <name>LineEditor</name>
    <message>
        <source>Correct this line</source>
        <translation>Diese Zeile berichtigen</translation>
    </message>
</context>
<context>
    <name>LiveSession</name>
    <message>
        <source>Speaker {}</source>
        <translation>Sprecher {}</translation>
    </message>
    <message>
        <source>The recording was stopped at once, so the last captions have no translation.</source>
        <translation>Die Aufnahme wurde sofort beendet: Die letzten Untertitel sind nicht übersetzt.</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Ich</translation>
    </message>
    <message>
        <source>Call</source>
        <translation>Anruf</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>About Earshot</source>
        <translation>Über Earshot</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Earshot {}&lt;/h3&gt;&lt;p&gt;Live captions, live translation and a voice assistant, made on your own computer. Nothing leaves it.&lt;/p&gt;&lt;p&gt;Free software under the GNU General Public License, version 3 or later.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Earshot {}&lt;/h3&gt;&lt;p&gt;Live-Untertitel, Live-Übersetzung und ein Sprachassistent, auf dem eigenen Computer. Nichts verlässt ihn.&lt;/p&gt;&lt;p&gt;Freie Software unter der GNU General Public License, Version 3 oder neuer.&lt;/p&gt;</translation>
    </message>
</context>
<context>
    <name>MicrophoneTest</name>
    <message>
        <source>&amp;Microphone</source>
        <translation>&amp;Mikrofon</translation>
    </message>
    <message>
        <source>&amp;Play back on</source>
        <translation>Wiederga&amp;be über</translation>
    </message>
    <message>
        <source>No sound came in: the microphone is muted, or Earshot is not allowed to use it.</source>
        <translation>Es kam kein Ton: Das Mikrofon ist stummgeschaltet, oder Earshot darf es nicht verwenden.</translation>
    </message>
    <message>
        <source>That was very quiet. Come closer, or turn the microphone up.</source>
        <translation>Das war sehr leise. Näher herangehen oder das Mikrofon lauter stellen.</translation>
    </message>
    <message>
        <source>That was too loud and sounds distorted. Turn the microphone down.</source>
        <translation>Das war zu laut und ist verzerrt. Das Mikrofon leiser stellen.</translation>
    </message>
    <message>
        <source>That sounds good.</source>
        <translation>Das klingt gut.</translation>
    </message>
    <message>
        <source>&amp;Record 3 seconds</source>
        <translation>3 Sekunden auf&amp;nehmen</translation>
    </message>
    <message>
        <source>Speak: the bars follow your voice. Then record, and hear yourself.</source>
        <translation>Sprechen: Die Balken folgen der Stimme. Dann aufnehmen und anhören.</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>Abbre&amp;chen</translation>
    </message>
    <message>
        <source>Recording: say something.</source>
        <translation>Aufnahme läuft: bitte etwas sagen.</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>St&amp;opp</translation>
    </message>
    <message>
        <source>Records three seconds and plays them back; nothing is kept.</source>
        <translation>Nimmt drei Sekunden auf und spielt sie ab; nichts wird gespeichert.</translation>
    </message>
</context>
<context>
    <name>ModelCard</name>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>What this model is used for</source>
        <translation>Wofür dieses Modell verwendet wird</translation>
    </message>
    <message>
        <source>Opens a recording of this voice in the browser</source>
        <translation>Öffnet eine Aufnahme dieser Stimme im Browser</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>Forget this model? Its files stay as they are.</source>
        <translation>Dieses Modell vergessen? Seine Dateien bleiben, wie sie sind.</translation>
    </message>
    <message>
        <source>Deletes this model from the disk</source>
        <translation>Löscht dieses Modell von der Festplatte</translation>
    </message>
    <message>
        <source>Listen</source>
        <translation>Anhören</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Cancels the download and discards what has arrived</source>
        <translation>Bricht den Download ab und verwirft, was schon da ist</translation>
    </message>
    <message>
        <source>Forgets this model; its files stay</source>
        <translation>Vergisst dieses Modell; seine Dateien bleiben</translation>
    </message>
    <message>
        <source>Download of {title}</source>
        <translation>Download von {title}</translation>
    </message>
    <message>
        <source>Paused: {done}</source>
        <translation>Angehalten: {done}</translation>
    </message>
    <message>
        <source>Delete this model, {size}? Other programs that use it lose it too.</source>
        <translation>Dieses Modell löschen, {size}? Auch andere Programme, die es verwenden, verlieren es.</translation>
    </message>
</context>
<context>
    <name>ModelFilters</name>
    <message>
        <source>What models are for</source>
        <translation>Wofür Modelle sind</translation>
    </message>
    <message>
        <source>Captions</source>
        <translation>Untertitel</translation>
    </message>
    <message>
        <source>Translation</source>
        <translation>Übersetzung</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>Voice</source>
        <translation>Stimme</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Any language</source>
        <translation>Jede Sprache</translation>
    </message>
    <message>
        <source>Langua&amp;ge</source>
        <translation>Sp&amp;rache</translation>
    </message>
</context>
<context>
    <name>ModelLibrary</name>
    <message>
        <source>The model could not be checked.</source>
        <translation>Das Modell ließ sich nicht prüfen.</translation>
    </message>
    <message>
        <source>The model could not be checked: {reason}.</source>
        <translation>Das Modell ließ sich nicht prüfen: {reason}.</translation>
    </message>
</context>
<context>
    <name>ModelStep</name>
    <message>
        <source>Several languages</source>
        <translation>Mehrere Sprachen</translation>
    </message>
    <message>
        <source>Spoken language</source>
        <translation>Gesprochene Sprache</translation>
    </message>
    <message>
        <source>As it is spoken</source>
        <translation>Wie gesprochen</translation>
    </message>
    <message>
        <source>Language to read</source>
        <translation>Sprache zum Lesen</translation>
    </message>
    <message>
        <source>What do you hear and read?</source>
        <translation>Was wird gehört und gelesen?</translation>
    </message>
    <message>
        <source>The starter comes with Earshot and understands English. For other languages and fewer mistakes, download a larger model once; it then works offline.</source>
        <translation>Das Startmodell ist in Earshot enthalten und versteht Englisch. Für andere Sprachen, und für weniger Fehler, einmal ein größeres Modell herunterladen: danach braucht es kein Netz.</translation>
    </message>
    <message>
        <source>English. Nothing to download.</source>
        <translation>Englisch. Nichts herunterzuladen.</translation>
    </message>
    <message>
        <source>&amp;Starter</source>
        <translation>Start&amp;modell</translation>
    </message>
    <message>
        <source>{}. {} to download, uses about {} of memory.</source>
        <translation>{}. {} Download, etwa {} Arbeitsspeicher.</translation>
    </message>
    <message>
        <source>The Models page has every size, and can use models you already have.</source>
        <translation>Die Seite „Modelle“ hat alle Größen und nimmt auch Modelle, die schon da sind.</translation>
    </message>
    <message>
        <source>I &amp;hear</source>
        <translation>&amp;Gehört wird</translation>
    </message>
    <message>
        <source>I r&amp;ead</source>
        <translation>Ge&amp;lesen wird</translation>
    </message>
    <message>
        <source>{} (recommended)</source>
        <translation>{} (empfohlen)</translation>
    </message>
</context>
<context>
    <name>ModelWords</name>
    <message>
        <source>comes with Earshot</source>
        <translation>in Earshot enthalten</translation>
    </message>
    <message>
        <source>{size} on disk</source>
        <translation>{size} auf der Festplatte</translation>
    </message>
    <message>
        <source>{size} to download</source>
        <translation>{size} Download</translation>
    </message>
    <message>
        <source>uses about {size} of memory</source>
        <translation>etwa {size} Arbeitsspeicher</translation>
    </message>
    <message>
        <source>licence on its model card</source>
        <translation>Lizenz auf der Modellkarte</translation>
    </message>
    <message>
        <source>in {folder}</source>
        <translation>in {folder}</translation>
    </message>
    <message>
        <source>{number} languages</source>
        <translation>{number} Sprachen</translation>
    </message>
    <message>
        <source>German</source>
        <translation>Deutsch</translation>
    </message>
    <message>
        <source>French</source>
        <translation>Französisch</translation>
    </message>
    <message>
        <source>Spanish</source>
        <translation>Spanisch</translation>
    </message>
    <message>
        <source>English</source>
        <translation>Englisch</translation>
    </message>
    <message>
        <source>mostly English</source>
        <translation>vor allem Englisch</translation>
    </message>
    <message>
        <source>over 100 languages</source>
        <translation>über 100 Sprachen</translation>
    </message>
    <message>
        <source>English to German, French, Spanish</source>
        <translation>Englisch in Deutsch, Französisch, Spanisch</translation>
    </message>
    <message>
        <source>No model keeps up with speech here. This one is the quickest.</source>
        <translation>Kein Modell hält hier mit Gesprochenem Schritt. Dieses ist das schnellste.</translation>
    </message>
    <message>
        <source>It is the largest that leaves enough memory for everything else.</source>
        <translation>Es ist das größte, das genug Arbeitsspeicher für alles andere lässt.</translation>
    </message>
    <message>
        <source>It is small enough for a computer without a graphics processor.</source>
        <translation>Es ist klein genug für einen Computer ohne Grafikprozessor.</translation>
    </message>
    <message>
        <source>keeps up with speech</source>
        <translation>hält mit Gesprochenem Schritt</translation>
    </message>
    <message>
        <source>captions come a little late</source>
        <translation>Untertitel kommen etwas spät</translation>
    </message>
    <message>
        <source>too slow for this computer</source>
        <translation>zu langsam auf diesem Computer</translation>
    </message>
    <message>
        <source>{}% of English words wrong</source>
        <translation>{} % der englischen Wörter falsch</translation>
    </message>
    <message>
        <source>words after {} s, measured</source>
        <translation>Wörter nach {} s, gemessen</translation>
    </message>
    <message>
        <source>{} s a round, estimated</source>
        <translation>{} s je Durchgang, geschätzt</translation>
    </message>
    <message>
        <source>Words wrong in LibriSpeech test-clean: people who read English aloud, heard at leisure. Published by the project transcribe.cpp.</source>
        <translation>Falsche Wörter in LibriSpeech test-clean: Menschen, die Englisch vorlesen, in Ruhe gehört. Veröffentlicht vom Projekt transcribe.cpp.</translation>
    </message>
    <message>
        <source>The starter before it was made smaller: it hears no better.</source>
        <translation>Das Startmodell, bevor es verkleinert wurde: Es hört nicht besser.</translation>
    </message>
    <message>
        <source>Writes several words at once; made by this project, makes more mistakes than the starter.</source>
        <translation>Schreibt mehrere Wörter zugleich; aus diesem Projekt, macht mehr Fehler als das Startmodell.</translation>
    </message>
    <message>
        <source>A translation model of Firefox&apos;s; works at once.</source>
        <translation>Ein Übersetzungsmodell von Firefox; funktioniert sofort.</translation>
    </message>
    <message>
        <source>Small conversation model, trained by this project; works at once.</source>
        <translation>Kleines Gesprächsmodell aus diesem Projekt; läuft sofort.</translation>
    </message>
    <message>
        <source>Answers questions of all kinds, on any computer; check what matters.</source>
        <translation>Beantwortet Fragen aller Art, auf jedem Computer; Wichtiges bitte prüfen.</translation>
    </message>
    <message>
        <source>Made for translation.</source>
        <translation>Fürs Übersetzen gemacht.</translation>
    </message>
    <message>
        <source>Sounds natural, and works at once on any computer. Hibari, taught by Kokoro.</source>
        <translation>Klingt natürlich und läuft sofort auf jedem Computer. Hibari, das von Kokoro gelernt hat.</translation>
    </message>
    <message>
        <source>Sounds robotic, but speaks over 100 languages, at once on any computer.</source>
        <translation>Klingt nach Roboter, spricht aber über 100 Sprachen, sofort auf jedem Computer.</translation>
    </message>
    <message>
        <source>Its training began with a voice whose recordings are for research only.</source>
        <translation>Ihr Training begann mit einer Stimme, deren Aufnahmen nur für die Forschung bestimmt sind.</translation>
    </message>
    <message>
        <source>Too large for this computer, which has {memory} of memory.</source>
        <translation>Zu groß für diesen Computer mit {memory} Arbeitsspeicher.</translation>
    </message>
    <message>
        <source>Takes much of this computer&apos;s memory ({memory}).</source>
        <translation>Belegt viel vom Arbeitsspeicher dieses Computers ({memory}).</translation>
    </message>
    <message>
        <source>Captions</source>
        <translation>Untertitel</translation>
    </message>
    <message>
        <source>Translation</source>
        <translation>Übersetzung</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>Assistant&apos;s voice</source>
        <translation>Stimme des Assistenten</translation>
    </message>
    <message>
        <source>Use for captions</source>
        <translation>Für Untertitel verwenden</translation>
    </message>
    <message>
        <source>Use to translate</source>
        <translation>Zum Übersetzen verwenden</translation>
    </message>
    <message>
        <source>Use to answer</source>
        <translation>Zum Antworten verwenden</translation>
    </message>
    <message>
        <source>Use this voice</source>
        <translation>Diese Stimme verwenden</translation>
    </message>
    <message>
        <source>This model is in use ({uses}). Choose another one first, then delete it.</source>
        <translation>Dieses Modell ist in Gebrauch ({uses}). Erst ein anderes wählen, dann löschen.</translation>
    </message>
    <message>
        <source>It is incomplete: its weights are missing. Download it again.</source>
        <translation>Es ist unvollständig: Die Gewichte fehlen. Bitte erneut herunterladen.</translation>
    </message>
    <message>
        <source>No connection. What has arrived is kept: continue when you are online.</source>
        <translation>Keine Verbindung. Was schon da ist, bleibt: online fortsetzen.</translation>
    </message>
    <message>
        <source>The server has problems. What has arrived is kept: continue later, or use a mirror.</source>
        <translation>Der Server hat Probleme. Was schon da ist, bleibt: später fortsetzen oder einen Spiegelserver verwenden.</translation>
    </message>
    <message>
        <source>There is too little space on the disk ({place}). Free some, then continue.</source>
        <translation>Auf der Festplatte ist zu wenig Platz ({place}). Platz schaffen, dann fortsetzen.</translation>
    </message>
    <message>
        <source>{place} arrived damaged twice. Try again later, or use another mirror.</source>
        <translation>{place} kam zweimal beschädigt an. Später erneut versuchen oder einen anderen Spiegelserver verwenden.</translation>
    </message>
    <message>
        <source>Its weights are in a format that Earshot does not read.</source>
        <translation>Seine Gewichte haben ein Format, das Earshot nicht liest.</translation>
    </message>
    <message>
        <source>Of the models that keep up with speech here, it makes the fewest mistakes.</source>
        <translation>Von den Modellen, die hier mit Gesprochenem Schritt halten, macht es die wenigsten Fehler.</translation>
    </message>
    <message>
        <source>Whisper tiny.en by OpenAI: hears English and works at once.</source>
        <translation>Whisper tiny.en von OpenAI: versteht Englisch und ist sofort da.</translation>
    </message>
    <message>
        <source>Small translation model, trained by this project; works at once. Everyday sentences only; often wrong.</source>
        <translation>Kleines Übersetzungsmodell aus diesem Projekt; ist sofort da. Nur für Alltagssätze, oft falsch.</translation>
    </message>
    <message>
        <source>Sounds the most natural, and needs a quick computer.</source>
        <translation>Klingt am natürlichsten, braucht aber einen schnellen Rechner.</translation>
    </message>
    <message>
        <source>Sounds natural, and is quick on any computer.</source>
        <translation>Klingt natürlich und ist auf jedem Rechner schnell.</translation>
    </message>
    <message>
        <source>It is no longer where it was. Forget it here, or put it back.</source>
        <translation>Es ist nicht mehr da, wo es war. Hier vergessen oder zurücklegen.</translation>
    </message>
    <message>
        <source>Pausing…</source>
        <translation>Wird angehalten…</translation>
    </message>
    <message>
        <source>Checking what to download…</source>
        <translation>Wird beim Server erfragt…</translation>
    </message>
    <message>
        <source>Checking what is already here…</source>
        <translation>Vorhandenes wird geprüft…</translation>
    </message>
    <message>
        <source>No answer from the server. Next attempt in {seconds} s.</source>
        <translation>Der Server antwortet nicht. Nächster Versuch in {seconds} s.</translation>
    </message>
    <message>
        <source>{done} · {rate}/s</source>
        <translation>{done} · {rate}/s</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} von {total}</translation>
    </message>
    <message>
        <source>less than a minute left</source>
        <translation>noch unter einer Minute</translation>
    </message>
    <message>
        <source>about {minutes} min left</source>
        <translation>noch etwa {minutes} min</translation>
    </message>
    <message>
        <source>about {hours} h left</source>
        <translation>noch etwa {hours} h</translation>
    </message>
    <message>
        <source>{place} is private or does not exist. If it is yours, run “hf auth login” in a terminal, then try again.</source>
        <translation>{place} ist privat oder existiert nicht. Wenn es ein eigenes ist, im Terminal „hf auth login“ ausführen und erneut versuchen.</translation>
    </message>
    <message>
        <source>Its terms must be accepted first: sign in at huggingface.co/{place}, accept them, run “hf auth login” in a terminal, then try again.</source>
        <translation>Zuerst müssen die Bedingungen angenommen werden: auf huggingface.co/{place} anmelden und zustimmen, im Terminal „hf auth login“ ausführen, dann erneut versuchen.</translation>
    </message>
    <message>
        <source>{place} is not there. If you use a mirror, it may not have it.</source>
        <translation>{place} gibt es nicht. Ein Spiegelserver hat es vielleicht nicht.</translation>
    </message>
    <message>
        <source>The disk cannot be written to ({place}).</source>
        <translation>Auf die Festplatte kann nicht geschrieben werden ({place}).</translation>
    </message>
    <message>
        <source>It is being downloaded already, by another Earshot.</source>
        <translation>Ein anderes Earshot lädt es gerade herunter.</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Folder with a model</source>
        <translation>Ordner mit einem Modell</translation>
    </message>
    <message>
        <source>Models of whisper.cpp and llama.cpp (*.bin *.gguf)</source>
        <translation>Modelle von whisper.cpp und llama.cpp (*.bin *.gguf)</translation>
    </message>
    <message>
        <source>File with a model</source>
        <translation>Datei mit einem Modell</translation>
    </message>
    <message>
        <source>Checking {folder}…</source>
        <translation>{folder} wird geprüft…</translation>
    </message>
    <message>
        <source>They run on this computer, which has {memory} of memory. A model is downloaded once; then it works without a connection.</source>
        <translation>Sie laufen auf diesem Computer mit {memory} Arbeitsspeicher. Ein Modell wird einmal heruntergeladen, danach geht es ohne Verbindung.</translation>
    </message>
    <message>
        <source>From a &amp;folder…</source>
        <translation>Aus einem &amp;Ordner…</translation>
    </message>
    <message>
        <source>From a fi&amp;le…</source>
        <translation>Aus einer &amp;Datei…</translation>
    </message>
    <message>
        <source>From &amp;Hugging Face…</source>
        <translation>Von Hugging &amp;Face…</translation>
    </message>
    <message>
        <source>From a &amp;server…</source>
        <translation>Von einem &amp;Server …</translation>
    </message>
    <message>
        <source>Add a &amp;model</source>
        <translation>&amp;Modell hinzufügen</translation>
    </message>
    <message>
        <source>Adds a model that is not in the list</source>
        <translation>Fügt ein Modell hinzu, das nicht in der Liste steht</translation>
    </message>
    <message>
        <source>Recommended for this computer</source>
        <translation>Für diesen Computer empfohlen</translation>
    </message>
    <message>
        <source>Models that do not know {} are left out. Show all</source>
        <translation>Auch Modelle ohne {} zeigen</translation>
    </message>
    <message>
        <source>Fits this computer best</source>
        <translation>Passt am besten zu diesem Computer</translation>
    </message>
    <message>
        <source>These models write down what is said. Larger ones make fewer mistakes and take longer.</source>
        <translation>Diese Modelle schreiben mit, was gesagt wird. Größere machen weniger Fehler und brauchen länger.</translation>
    </message>
    <message>
        <source>These models translate captions. Larger ones know more and take longer.</source>
        <translation>Diese Modelle übersetzen Untertitel. Größere wissen mehr und brauchen länger.</translation>
    </message>
    <message>
        <source>These voices read the assistant&apos;s answers aloud.</source>
        <translation>Diese Stimmen lesen die Antworten des Assistenten vor.</translation>
    </message>
    <message>
        <source>{} answers from now on.</source>
        <translation>{} antwortet von nun an.</translation>
    </message>
    <message>
        <source>{} translates from now on.</source>
        <translation>{} übersetzt von nun an.</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>Auf diesem Computer</translation>
    </message>
    <message>
        <source>To download</source>
        <translation>Zum Herunterladen</translation>
    </message>
    <message>
        <source>These models answer in a conversation. Larger ones know more and take longer. For notes, chosen lines are better: a model of 1.5 billion parameters found less than half of the decisions and tasks. Larger ones may write good notes, but nobody has measured that yet.</source>
        <translation>Diese Modelle antworten in Unterhaltungen. Größere wissen mehr und brauchen länger. Für Notizen sind ausgewählte Zeilen besser: Ein Modell mit 1,5 Milliarden Parametern fand weniger als die Hälfte der Beschlüsse und Aufgaben. Größere schreiben vielleicht gute Notizen, aber das hat noch niemand gemessen.</translation>
    </message>
    <message>
        <source>{title} is ready.</source>
        <translation>{title} ist bereit.</translation>
    </message>
    <message>
        <source>{name} was added.</source>
        <translation>{name} wurde hinzugefügt.</translation>
    </message>
    <message>
        <source>{title} was deleted: {size} freed.</source>
        <translation>{title} wurde gelöscht: {size} sind wieder frei.</translation>
    </message>
    <message>
        <source>{title} was forgotten; its files stay.</source>
        <translation>{title} wurde vergessen; seine Dateien bleiben.</translation>
    </message>
</context>
<context>
    <name>NewerVersion</name>
    <message>
        <source>Show it in the &amp;browser</source>
        <translation>Im &amp;Browser zeigen</translation>
    </message>
    <message>
        <source>Earshot {} is there. This is {}.</source>
        <translation>Earshot {} ist da. Dies ist {}.</translation>
    </message>
    <message>
        <source>This is the newest Earshot, {}.</source>
        <translation>Dies ist das neueste Earshot, {}.</translation>
    </message>
</context>
<context>
    <name>NotesMaker</name>
    <message>
        <source>The engine ended unexpectedly. Please try again.</source>
        <translation>Die Spracherkennung wurde unerwartet beendet. Bitte noch einmal versuchen.</translation>
    </message>
</context>
<context>
    <name>NotesPane</name>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>Vorlage</translation>
    </message>
    <message>
        <source>Make a&amp;gain</source>
        <translation>E&amp;rneut erstellen</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Ändern</translation>
    </message>
    <message>
        <source>Add a line</source>
        <translation>Zeile hinzufügen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Notes are being made, while there is nothing else to do.</source>
        <translation>Die Notizen werden erstellt, während sonst nichts zu tun ist.</translation>
    </message>
    <message>
        <source>There are no notes yet.</source>
        <translation>Es gibt noch keine Notizen.</translation>
    </message>
    <message>
        <source>Nothing was found for these sections.</source>
        <translation>Zu diesen Abschnitten fand sich nichts.</translation>
    </message>
    <message>
        <source>All lines are chosen from what was said; nothing is made up.</source>
        <translation>Alle Zeilen sind dem Gesagten entnommen; nichts ist erfunden.</translation>
    </message>
    <message>
        <source>Written by {}. What nothing supports is left out.</source>
        <translation>Geschrieben von {}. Was nichts belegt, fehlt.</translation>
    </message>
    <message>
        <source>New line</source>
        <translation>Neue Zeile</translation>
    </message>
    <message>
        <source>Meeting</source>
        <translation>Besprechung</translation>
    </message>
    <message>
        <source>Lecture</source>
        <translation>Vortrag</translation>
    </message>
    <message>
        <source>Interview</source>
        <translation>Interview</translation>
    </message>
    <message>
        <source>One-to-one</source>
        <translation>Gespräch zu zweit</translation>
    </message>
    <message>
        <source>From a file…</source>
        <translation>Aus einer Datei …</translation>
    </message>
    <message>
        <source>Templates of notes (*.md *.txt)</source>
        <translation>Vorlagen für Notizen (*.md *.txt)</translation>
    </message>
</context>
<context>
    <name>OpenAudio</name>
    <message>
        <source>Audio and video files ({});;All files (*)</source>
        <translation>Audio- und Videodateien ({});;Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>OutputChooser</name>
    <message>
        <source>Output</source>
        <translation>Ausgang</translation>
    </message>
    <message>
        <source>Default output</source>
        <translation>Standardausgang</translation>
    </message>
</context>
<context>
    <name>Overlay</name>
    <message>
        <source>Earshot captions</source>
        <translation>Earshot-Untertitel</translation>
    </message>
    <message>
        <source>Captions overlay</source>
        <translation>Schwebende Untertitel</translation>
    </message>
    <message>
        <source>Arrow keys move it, Shift with arrow keys resizes it, plus and minus change the text size, Escape leaves.</source>
        <translation>Pfeiltasten verschieben, mit Umschalt ändern sie die Größe, Plus und Minus ändern den Text, Escape verlässt.</translation>
    </message>
    <message>
        <source>Captions appear here. Drag to move, drag an edge to resize.</source>
        <translation>Hier erscheinen Untertitel. Ziehen verschiebt, an den Rändern ändert sich die Größe.</translation>
    </message>
    <message>
        <source>Under Wayland the desktop decides where this window stands and what covers it: its place is not remembered, and it stays on top only if you tell the desktop so, in most by Alt+Space. The overlay&apos;s settings have a way round that.</source>
        <translation>Unter Wayland bestimmt der Desktop, wo dieses Fenster steht und was es verdeckt: Sein Platz wird nicht gemerkt, und es bleibt nur vorn, wenn man es dem Desktop sagt, meist mit Alt+Leertaste. In den Einstellungen der schwebenden Untertitel gibt es einen Ausweg.</translation>
    </message>
    <message>
        <source>Clicks now go to the window behind. Turn that off in the Captions menu.</source>
        <translation>Klicks gehen jetzt an das Fenster dahinter. Im Menü „Untertitel“ lässt sich das ausschalten.</translation>
    </message>
</context>
<context>
    <name>OverlayControls</name>
    <message>
        <source>&amp;Larger text</source>
        <translation>Text &amp;größer</translation>
    </message>
    <message>
        <source>S&amp;maller text</source>
        <translation>Text &amp;kleiner</translation>
    </message>
    <message>
        <source>&amp;Clicks go through</source>
        <translation>Klicks &amp;durchlassen</translation>
    </message>
    <message>
        <source>&amp;Hide overlay</source>
        <translation>&amp;Ausblenden</translation>
    </message>
    <message>
        <source>&amp;Both languages</source>
        <translation>&amp;Beide Sprachen</translation>
    </message>
    <message>
        <source>What is &amp;spoken</source>
        <translation>Gesproc&amp;henes</translation>
    </message>
    <message>
        <source>The t&amp;ranslation</source>
        <translation>Überse&amp;tzung</translation>
    </message>
    <message>
        <source>One m&amp;ore line</source>
        <translation>Eine Zeile &amp;mehr</translation>
    </message>
    <message>
        <source>One line &amp;fewer</source>
        <translation>Eine Zeile &amp;weniger</translation>
    </message>
    <message>
        <source>&amp;Default position</source>
        <translation>Standardpos&amp;ition</translation>
    </message>
    <message>
        <source>Show &amp;Earshot</source>
        <translation>&amp;Earshot zeigen</translation>
    </message>
    <message>
        <source>Overlay settin&amp;gs…</source>
        <translation>Ei&amp;nstellungen…</translation>
    </message>
</context>
<context>
    <name>OverlaySample</name>
    <message>
        <source>Sample of the overlay</source>
        <translation>Muster der schwebenden Untertitel</translation>
    </message>
    <message>
        <source>This is how captions look</source>
        <translation>So sehen Untertitel aus</translation>
    </message>
    <message>
        <source>So sehen Untertitel aus</source>
        <translation>This is how captions look</translation>
    </message>
    <message>
        <source>This is how captions look while somebody speaks</source>
        <translation>So sehen Untertitel aus, während jemand spricht</translation>
    </message>
    <message>
        <source>So sehen Untertitel aus, während jemand spricht</source>
        <translation>This is how captions look while somebody speaks</translation>
    </message>
</context>
<context>
    <name>OverlaySettings</name>
    <message>
        <source>Captions in a box of their own, above all other windows.</source>
        <translation>Untertitel in einem eigenen Feld, über allen anderen Fenstern.</translation>
    </message>
    <message>
        <source>&amp;Place</source>
        <translation>&amp;Ort</translation>
    </message>
    <message>
        <source>&amp;Show the overlay</source>
        <translation>Schwebende Untertitel &amp;anzeigen</translation>
    </message>
    <message>
        <source>Wayland</source>
        <translation>Wayland</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Clicks &amp;go through it</source>
        <translation>&amp;Klicks durchlassen</translation>
    </message>
    <message>
        <source>To the window behind. Turn it off here or in the menu to move the overlay again.</source>
        <translation>An das Fenster dahinter. Zum Verschieben hier oder im Menü wieder ausschalten.</translation>
    </message>
    <message>
        <source>Mouse</source>
        <translation>Maus</translation>
    </message>
    <message>
        <source>Otherwise the desktop decides what covers it. Earshot then goes through XWayland, where letters may be less sharp on scaled screens. Takes effect the next time Earshot starts.</source>
        <translation>Sonst bestimmt der Desktop, was sie verdeckt. Earshot läuft dann durch XWayland; auf skalierten Bildschirmen sind Buchstaben vielleicht weniger scharf. Gilt ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>Not needed here: this desktop keeps the overlay above all windows, and in its place.</source>
        <translation>Hier nicht nötig: Diese Arbeitsumgebung hält sie über allen Fenstern und an ihrem Platz.</translation>
    </message>
    <message>
        <source>This desktop has no XWayland: it decides where the overlay stands and what covers it.</source>
        <translation>Dieser Desktop hat kein XWayland: Er bestimmt, wo die schwebenden Untertitel stehen und was sie verdeckt.</translation>
    </message>
    <message>
        <source>Always on top, where I p&amp;ut it</source>
        <translation>Immer &amp;vorn, am gewählten Platz</translation>
    </message>
    <message>
        <source>&amp;Languages</source>
        <translation>S&amp;prachen</translation>
    </message>
    <message>
        <source>Spoken and translated</source>
        <translation>Beides</translation>
    </message>
    <message>
        <source>What is spoken</source>
        <translation>Gesprochenes</translation>
    </message>
    <message>
        <source>The translation</source>
        <translation>Übersetzung</translation>
    </message>
    <message>
        <source>&amp;Font</source>
        <translation>&amp;Schriftart</translation>
    </message>
    <message>
        <source>Same as system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Per language. Two are easiest to read.</source>
        <translation>Je Sprache. Zwei lesen sich am leichtesten.</translation>
    </message>
    <message>
        <source>&amp;Keep the last words until new ones come</source>
        <translation>&amp;Letzte Worte stehen lassen</translation>
    </message>
    <message>
        <source>When off, they fade once there was time to read them.</source>
        <translation>Sonst verblassen sie, sobald Zeit zum Lesen war.</translation>
    </message>
    <message>
        <source>Letters keep an outline, so that they can be read on any background.</source>
        <translation>Die Buchstaben behalten einen Rand und sind so auf jedem Hintergrund lesbar.</translation>
    </message>
    <message>
        <source>{:.0f}%</source>
        <translation>{:.0f} %</translation>
    </message>
    <message>
        <source>Text si&amp;ze</source>
        <translation>Text&amp;größe</translation>
    </message>
    <message>
        <source>Of the screen; it can be dragged anywhere else.</source>
        <translation>Am Bildschirm; sie lassen sich an jede andere Stelle ziehen.</translation>
    </message>
    <message>
        <source>Bottom</source>
        <translation>Unten</translation>
    </message>
    <message>
        <source>Top</source>
        <translation>Oben</translation>
    </message>
    <message>
        <source>{:.0f} points</source>
        <translation>{:.0f} Punkt</translation>
    </message>
    <message>
        <source>Li&amp;nes</source>
        <translation>&amp;Zeilen</translation>
    </message>
    <message>
        <source>&amp;Text</source>
        <translation>&amp;Text</translation>
    </message>
    <message>
        <source>T&amp;ranslation</source>
        <translation>Ü&amp;bersetzung</translation>
    </message>
    <message>
        <source>&amp;Background</source>
        <translation>&amp;Hintergrund</translation>
    </message>
    <message>
        <source>&amp;Opacity of the background</source>
        <translation>&amp;Deckkraft des Hintergrunds</translation>
    </message>
</context>
<context>
    <name>PrivacySettings</name>
    <message>
        <source>What leaves this computer</source>
        <translation>Was diesen Computer verlässt</translation>
    </message>
    <message>
        <source>Nothing you say, hear or type. Listening, translating and answering happen here, and nobody is told that you use Earshot. Only models are downloaded, and only when you ask for one.</source>
        <translation>Nichts, was gesagt, gehört oder geschrieben wird. Hören, Übersetzen und Antworten geschehen hier, und niemand erfährt, dass Earshot verwendet wird. Nur Modelle kommen aus dem Netz, und nur auf Wunsch.</translation>
    </message>
    <message>
        <source>Download models f&amp;rom</source>
        <translation>&amp;Modelle laden von</translation>
    </message>
    <message>
        <source>If Hugging Face cannot be reached: the address of a mirror.</source>
        <translation>Wo Hugging Face nicht erreichbar ist: die Adresse eines Spiegelservers.</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>&amp;Open the folder</source>
        <translation>&amp;Ordner öffnen</translation>
    </message>
    <message>
        <source>Where everything is kept</source>
        <translation>Wo alles liegt</translation>
    </message>
    <message>
        <source>Settings and history are in this folder, which only you can read.</source>
        <translation>Einstellungen und Verlauf liegen in diesem Ordner, den niemand sonst lesen darf.</translation>
    </message>
    <message>
        <source>Take them to another computer, or start over. Both can be undone.</source>
        <translation>Um sie auf einen anderen Computer mitzunehmen oder neu anzufangen. Beides lässt sich rückgängig machen.</translation>
    </message>
    <message>
        <source>Reset to &amp;defaults</source>
        <translation>&amp;Zurücksetzen</translation>
    </message>
    <message>
        <source>All settings</source>
        <translation>Alle Einstellungen</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>E&amp;xportieren…</translation>
    </message>
    <message>
        <source>&amp;Import…</source>
        <translation>&amp;Importieren…</translation>
    </message>
</context>
<context>
    <name>Problem</name>
    <message>
        <source>“{}”</source>
        <translation>„{}“</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>Zugriff verweigert</translation>
    </message>
    <message>
        <source>Not a directory</source>
        <translation>kein Ordner</translation>
    </message>
    <message>
        <source>No such file or directory</source>
        <translation>nicht vorhanden</translation>
    </message>
    <message>
        <source>Read-only file system</source>
        <translation>schreibgeschützt</translation>
    </message>
    <message>
        <source>read-only file system</source>
        <translation>schreibgeschützt</translation>
    </message>
    <message>
        <source>No space left on device</source>
        <translation>Der Datenträger ist voll</translation>
    </message>
    <message>
        <source>unable to open database file</source>
        <translation>Die Datei lässt sich nicht öffnen</translation>
    </message>
    <message>
        <source>attempt to write a readonly database</source>
        <translation>schreibgeschützt</translation>
    </message>
    <message>
        <source>database is locked</source>
        <translation>Ein anderes Programm verwendet ihn</translation>
    </message>
    <message>
        <source>The assistant&apos;s answer broke off. {}</source>
        <translation>Die Antwort des Assistenten brach ab. {}</translation>
    </message>
    <message>
        <source>No server answers at {}. Start it, or choose another model.</source>
        <translation>Unter {} antwortet kein Server. Bitte starten oder ein anderes Modell wählen.</translation>
    </message>
    <message>
        <source>{} did not answer in time. It may be busy, or its model too large for this computer.</source>
        <translation>{} hat nicht rechtzeitig geantwortet. Vielleicht ist er beschäftigt oder sein Modell zu groß für diesen Computer.</translation>
    </message>
    <message>
        <source>The connection to {} broke off ({}). Ask again.</source>
        <translation>Die Verbindung zu {} brach ab ({}). Bitte noch einmal fragen.</translation>
    </message>
    <message>
        <source>The answer of {} was cut off before its end. Ask again.</source>
        <translation>Die Antwort von {} brach vor ihrem Ende ab. Bitte noch einmal fragen.</translation>
    </message>
    <message>
        <source>The answer of {} did not end, and was stopped.</source>
        <translation>Die Antwort von {} nahm kein Ende und wurde angehalten.</translation>
    </message>
    <message>
        <source>{} answers, but not as a server of language models. Look whether the address is right; the interface has to be OpenAI&apos;s, which Ollama, LM Studio and llama.cpp have.</source>
        <translation>{} antwortet, aber nicht wie ein Server für Sprachmodelle. Stimmt die Adresse? Die Schnittstelle muss die von OpenAI sein, wie bei Ollama, LM Studio und llama.cpp.</translation>
    </message>
    <message>
        <source>{} refuses to answer, with {}{}.</source>
        <translation>{} verweigert die Antwort mit {}{}.</translation>
    </message>
    <message>
        <source>{} cannot answer{}.</source>
        <translation>{} kann nicht antworten{}.</translation>
    </message>
    <message>
        <source>{} asks for a key, and Earshot has none. Use a server without one.</source>
        <translation>{} verlangt einen Schlüssel, und Earshot hat keinen. Bitte einen Server ohne Schlüssel nehmen.</translation>
    </message>
    <message>
        <source>{} has no model. Get one there, or name it: {}#MODEL.</source>
        <translation>{} hat kein Modell. Bitte dort eines holen oder es nennen: {}#MODELL.</translation>
    </message>
    <message>
        <source>{} has no model called {}. It has {}.</source>
        <translation>{} hat kein Modell {}. Es gibt dort {}.</translation>
    </message>
    <message>
        <source>There is no computer called {}. Look whether the address is right.</source>
        <translation>Es gibt keinen Computer {}. Stimmt die Adresse?</translation>
    </message>
    <message>
        <source>GGUF models need llama.cpp: {}. Other models run without it.</source>
        <translation>GGUF-Modelle brauchen llama.cpp: {}. Andere Modelle laufen ohne.</translation>
    </message>
    <message>
        <source>This installation of Earshot is damaged: {}. Install it again.</source>
        <translation>Diese Installation von Earshot ist beschädigt: {}. Bitte neu installieren.</translation>
    </message>
    <message>
        <source>{} eSpeak NG speaks instead.</source>
        <translation>{} Stattdessen spricht eSpeak NG.</translation>
    </message>
    <message>
        <source>The chosen voice is not known to speak {}.</source>
        <translation>Von der gewählten Stimme ist nicht bekannt, dass sie {} spricht.</translation>
    </message>
    <message>
        <source>The voices in {} are still those of before: {}.</source>
        <translation>Die Stimmen in {} sind noch die von vorher: {}.</translation>
    </message>
    <message>
        <source>The voice failed; the reply goes on in writing. {}</source>
        <translation>Die Stimme ist ausgefallen; die Antwort geht schriftlich weiter. {}</translation>
    </message>
    <message>
        <source>The model {} is not on this machine. Fetch it with `earshot models get {}` or under Models in the window ({} MB), or give a folder that holds it.</source>
        <translation>Das Modell {} ist nicht auf diesem Rechner. Es lässt sich mit `earshot models get {}` oder im Fenster unter „Modelle“ herunterladen ({} MB); oder ein Ordner, der es enthält, wird angegeben.</translation>
    </message>
    <message>
        <source>This sounds like {}, but the model hears {} only. {}</source>
        <translation>Das klingt nach {}, aber das Modell hört nur {}. {}</translation>
    </message>
    <message>
        <source>This does not sound like {}, all that the model hears. {}</source>
        <translation>Das klingt nicht nach {}, und mehr hört das Modell nicht. {}</translation>
    </message>
    <message>
        <source>A model on this computer knows it: choose it under Models or with --model.</source>
        <translation>Ein Modell auf diesem Computer kann es: Bitte unter „Modelle“ oder mit --model wählen.</translation>
    </message>
    <message>
        <source>Get a model that knows it, under Models or with &apos;earshot models get base&apos;.</source>
        <translation>Ein Modell, das es kann, gibt es unter „Modelle“ oder mit „earshot models get base“.</translation>
    </message>
    <message>
        <source>This Earshot does not say where its releases are. Ask whoever gave it to you.</source>
        <translation>Dieses Earshot sagt nicht, wo seine Versionen zu finden sind. Wer es weitergegeben hat, weiß es.</translation>
    </message>
    <message>
        <source>The releases of this Earshot are said to be at {}, which is no address.</source>
        <translation>Die Versionen dieses Earshots sollen unter {} zu finden sein; das ist keine Adresse.</translation>
    </message>
    <message>
        <source>{} answers that there is no release ({}).</source>
        <translation>{} antwortet, dass es keine Version gibt ({}).</translation>
    </message>
    <message>
        <source>{} does not answer. Is this computer connected?</source>
        <translation>{} antwortet nicht. Ist dieser Computer verbunden?</translation>
    </message>
    <message>
        <source>{} answers with something else than a release.</source>
        <translation>{} antwortet mit etwas anderem als einer Version.</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>Der Datenträger ist voll</translation>
    </message>
    <message>
        <source>permission denied</source>
        <translation>Zugriff verweigert</translation>
    </message>
    <message>
        <source>Choose one of: {}.</source>
        <translation>Zur Wahl stehen: {}.</translation>
    </message>
    <message>
        <source>Install it (Debian and Ubuntu: apt install libportaudio2; Fedora and Arch: portaudio)</source>
        <translation>Bitte installieren (Debian und Ubuntu: apt install libportaudio2; Fedora und Arch: portaudio)</translation>
    </message>
    <message>
        <source>Install Earshot again</source>
        <translation>Bitte Earshot neu installieren</translation>
    </message>
    <message>
        <source>No microphone was found. Connect one, or open an audio file instead.</source>
        <translation>Es wurde kein Mikrofon gefunden. Bitte eines anschließen oder eine Audiodatei öffnen.</translation>
    </message>
    <message>
        <source>The microphone {} was disconnected.</source>
        <translation>Das Mikrofon {} wurde getrennt.</translation>
    </message>
    <message>
        <source>The microphone {} stopped delivering sound. Check that it is still connected, then start again.</source>
        <translation>Vom Mikrofon {} kommt kein Ton mehr. Bitte prüfen, ob es noch angeschlossen ist, dann neu starten.</translation>
    </message>
    <message>
        <source>The microphone {} cannot be opened ({}). Allow this app to use the microphone in the system&apos;s settings, close what else may be using it, or choose another.</source>
        <translation>Das Mikrofon {} lässt sich nicht öffnen ({}). Bitte in den Einstellungen des Systems den Zugriff auf das Mikrofon erlauben, andere Programme schließen, die es verwenden könnten, oder ein anderes wählen.</translation>
    </message>
    <message>
        <source>The system names no default microphone. {}</source>
        <translation>Das System nennt kein Standardmikrofon. {}</translation>
    </message>
    <message>
        <source>There is no single microphone that answers to {}. {}</source>
        <translation>Auf {} passt nicht genau ein Mikrofon. {}</translation>
    </message>
    <message>
        <source>Microphones need the PortAudio library, which is missing here. {}, or open an audio file instead.</source>
        <translation>Mikrofone brauchen die Bibliothek PortAudio, die hier fehlt. {}, oder eine Audiodatei öffnen.</translation>
    </message>
    <message>
        <source>Earshot may not use microphones. Allow it in System Settings, Privacy &amp; Security, Microphone, then start again.</source>
        <translation>Earshot darf kein Mikrofon verwenden. Bitte unter Systemeinstellungen, Datenschutz &amp; Sicherheit, Mikrofon erlauben, dann neu starten.</translation>
    </message>
    <message>
        <source>Whoever manages this Mac does not allow microphones. Open an audio file instead.</source>
        <translation>Wer diesen Mac verwaltet, erlaubt keine Mikrofone. Audiodateien lassen sich dennoch öffnen.</translation>
    </message>
    <message>
        <source>The sound system does not answer ({}).</source>
        <translation>Das Tonsystem antwortet nicht ({}).</translation>
    </message>
    <message>
        <source>What this computer plays can no longer be heard.</source>
        <translation>Was dieser Computer abspielt, ist nicht mehr zu hören.</translation>
    </message>
    <message>
        <source>This computer plays sound of a format that is not known ({}).</source>
        <translation>Dieser Computer spielt Ton in einem unbekannten Format ab ({}).</translation>
    </message>
    <message>
        <source>What this computer plays cannot be heard ({}). Allow it in System Settings, Privacy &amp; Security, Screen &amp; System Audio Recording, or use a loopback device such as BlackHole.</source>
        <translation>Was dieser Computer abspielt, ist nicht zu hören ({}). Bitte unter Systemeinstellungen, Datenschutz &amp; Sicherheit, Bildschirm- &amp; Systemaudioaufnahme erlauben oder ein Loopback-Gerät wie BlackHole verwenden.</translation>
    </message>
    <message>
        <source>The sound system does not answer ({}). Everything goes on without sound.</source>
        <translation>Das Tonsystem antwortet nicht ({}). Alles geht ohne Ton weiter.</translation>
    </message>
    <message>
        <source>No loudspeaker was found. Connect one; everything goes on without sound.</source>
        <translation>Es wurde kein Lautsprecher gefunden. Alles geht ohne Ton weiter, bis einer angeschlossen ist.</translation>
    </message>
    <message>
        <source>The loudspeaker {} stopped taking sound. Everything goes on without; start again once it is connected.</source>
        <translation>Der Lautsprecher {} nimmt keinen Ton mehr an. Alles geht ohne Ton weiter; neu starten, sobald er angeschlossen ist.</translation>
    </message>
    <message>
        <source>The loudspeaker {} cannot be opened ({}). Close what else may be using it, or choose another; everything goes on without sound.</source>
        <translation>Der Lautsprecher {} lässt sich nicht öffnen ({}). Bitte andere Programme schließen, die ihn verwenden könnten, oder einen anderen wählen; alles geht ohne Ton weiter.</translation>
    </message>
    <message>
        <source>There is no single loudspeaker that answers to {}. {}</source>
        <translation>Auf {} passt nicht genau ein Lautsprecher. {}</translation>
    </message>
    <message>
        <source>The system names no default loudspeaker. {}</source>
        <translation>Das System nennt keinen Standardlautsprecher. {}</translation>
    </message>
    <message>
        <source>Playing sound needs the PortAudio library, which is missing here. {}; everything goes on without sound.</source>
        <translation>Zum Abspielen fehlt hier die Bibliothek PortAudio. {}; alles geht ohne Ton weiter.</translation>
    </message>
    <message>
        <source>There is no file {}.</source>
        <translation>Es gibt keine Datei {}.</translation>
    </message>
    <message>
        <source>{} is empty.</source>
        <translation>{} ist leer.</translation>
    </message>
    <message>
        <source>{} is a folder. Name an audio file in it.</source>
        <translation>{} ist ein Ordner. Bitte eine Audiodatei darin wählen.</translation>
    </message>
    <message>
        <source>{} cannot be opened: it is damaged, or not an audio or video file.</source>
        <translation>{} lässt sich nicht öffnen: Die Datei ist beschädigt oder keine Audio- oder Videodatei.</translation>
    </message>
    <message>
        <source>{} holds no audio: it is zero seconds long.</source>
        <translation>{} enthält keinen Ton: Die Länge ist null Sekunden.</translation>
    </message>
    <message>
        <source>{} is a film without sound.</source>
        <translation>{} ist ein Film ohne Ton.</translation>
    </message>
    <message>
        <source>{} has no sound track {}: it has {}.</source>
        <translation>{} hat keine Tonspur {}: Es gibt {}.</translation>
    </message>
    <message>
        <source>{} has {} sound tracks: track {}{} is heard.</source>
        <translation>{} hat {} Tonspuren: Spur {}{} ist zu hören.</translation>
    </message>
    <message>
        <source>{} is damaged in places: {} s of it cannot be decoded.</source>
        <translation>{} ist stellenweise beschädigt: {} s davon lassen sich nicht lesen.</translation>
    </message>
    <message>
        <source>{} is damaged: no audio in it can be decoded.</source>
        <translation>{} ist beschädigt: Kein Ton darin lässt sich lesen.</translation>
    </message>
    <message>
        <source>{} is damaged.</source>
        <translation>{} ist beschädigt.</translation>
    </message>
    <message>
        <source>{} hears English only. Choose another model.</source>
        <translation>{} versteht nur Englisch. Ein anderes Modell wählen.</translation>
    </message>
    <message>
        <source>{} does not hear the language {}. Choose another model.</source>
        <translation>{} versteht die Sprache {} nicht. Ein anderes Modell wählen.</translation>
    </message>
    <message>
        <source>{} cannot be read: {}.</source>
        <translation>{} lässt sich nicht lesen: {}.</translation>
    </message>
    <message>
        <source>Cannot write {}: {}.</source>
        <translation>{} lässt sich nicht schreiben: {}.</translation>
    </message>
    <message>
        <source>Cannot write {}: it is a folder.</source>
        <translation>{} lässt sich nicht schreiben: Es ist ein Ordner.</translation>
    </message>
    <message>
        <source>Cannot write {}: the folder {} does not exist.</source>
        <translation>{} lässt sich nicht schreiben: Den Ordner {} gibt es nicht.</translation>
    </message>
    <message>
        <source>Cannot write {}: the folder {} is not writable.</source>
        <translation>{} lässt sich nicht schreiben: Der Ordner {} ist schreibgeschützt.</translation>
    </message>
    <message>
        <source>Cannot export to {}: the name must end in {}.</source>
        <translation>Export nach {} nicht möglich: Der Name muss auf {} enden.</translation>
    </message>
    <message>
        <source>The history in {} cannot be opened: {}.</source>
        <translation>Der Verlauf in {} lässt sich nicht öffnen: {}.</translation>
    </message>
    <message>
        <source>The history in {} cannot be read or written: {}.</source>
        <translation>Der Verlauf in {} lässt sich nicht lesen oder schreiben: {}.</translation>
    </message>
    <message>
        <source>The disk is full: what is said now cannot be kept in the history in {}.</source>
        <translation>Der Datenträger ist voll: Was jetzt gesagt wird, lässt sich nicht im Verlauf in {} speichern.</translation>
    </message>
    <message>
        <source>A newer Earshot has made the history in {}; install that one to read it.</source>
        <translation>Der Verlauf in {} stammt von einem neueren Earshot und lässt sich nur damit lesen.</translation>
    </message>
    <message>
        <source>The history was damaged. It was set aside as {}, and a new one was begun.</source>
        <translation>Der Verlauf war beschädigt. Er liegt jetzt in {}, und ein neuer wurde begonnen.</translation>
    </message>
    <message>
        <source>The damaged history in {} cannot be set aside: {}.</source>
        <translation>Der beschädigte Verlauf in {} lässt sich nicht beiseitelegen: {}.</translation>
    </message>
    <message>
        <source>The sound of this session cannot be read: its file is gone or damaged.</source>
        <translation>Der Ton dieser Sitzung lässt sich nicht lesen: Die Datei fehlt oder ist beschädigt.</translation>
    </message>
    <message>
        <source>The sound of this session is kept no further ({}). Captions go on.</source>
        <translation>Der Ton dieser Sitzung wird nicht weiter gespeichert ({}). Die Untertitel gehen weiter.</translation>
    </message>
    <message>
        <source>The disk is full: the sound of this session is kept no further. Captions go on.</source>
        <translation>Der Datenträger ist voll: Der Ton dieser Sitzung wird nicht weiter gespeichert. Die Untertitel gehen weiter.</translation>
    </message>
    <message>
        <source>The settings cannot be saved in {}: {}.</source>
        <translation>Die Einstellungen lassen sich nicht in {} speichern: {}.</translation>
    </message>
    <message>
        <source>The settings cannot be exported to {}: {}.</source>
        <translation>Die Einstellungen lassen sich nicht nach {} exportieren: {}.</translation>
    </message>
    <message>
        <source>The settings in {} cannot be read; the usual ones are used.</source>
        <translation>Die Einstellungen in {} lassen sich nicht lesen; es gelten die üblichen.</translation>
    </message>
    <message>
        <source>{} holds no settings that Earshot has exported. Nothing was changed.</source>
        <translation>{} enthält keine Einstellungen, die Earshot exportiert hat. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>The settings in {} cannot be read; the usual ones are used.{}</source>
        <translation>Die Einstellungen in {} lassen sich nicht lesen; es gelten die üblichen.{}</translation>
    </message>
    <message>
        <source> What was there is now in {}.</source>
        <translation> Was dort stand, liegt jetzt in {}.</translation>
    </message>
    <message>
        <source>The setting {} was ignored: {}. It is now {}.</source>
        <translation>Die Einstellung {} wurde nicht übernommen: {}. Sie ist jetzt {}.</translation>
    </message>
    <message>
        <source>{}line {}: expected &apos;term = translation&apos;, not {}.</source>
        <translation>{}Zeile {}: „Begriff = Übersetzung“ wird erwartet, nicht {}.</translation>
    </message>
    <message>
        <source>{}line {}: {} is to be {}, but {} in line {}.</source>
        <translation>{}Zeile {}: {} soll {} heißen, aber {} in Zeile {}.</translation>
    </message>
    <message>
        <source>There is no model called {} and no such folder. Known models: {}.</source>
        <translation>Ein Modell namens {} gibt es nicht und auch keinen solchen Ordner. Bekannte Modelle: {}.</translation>
    </message>
    <message>
        <source>{} cannot be read: it should describe a language model.</source>
        <translation>{} lässt sich nicht lesen; darin müsste ein Sprachmodell beschrieben sein.</translation>
    </message>
    <message>
        <source>There is no folder {}.</source>
        <translation>Es gibt keinen Ordner {}.</translation>
    </message>
    <message>
        <source>The voice in {} is not whole: beside the .onnx, Piper&apos;s have a file .onnx.json, and Kokoro has voices.safetensors or voices.bin. Copy or download it again.</source>
        <translation>Die Stimme in {} ist nicht vollständig: Neben der .onnx-Datei haben die von Piper eine Datei .onnx.json, und Kokoro hat voices.safetensors oder voices.bin. Bitte noch einmal kopieren oder herunterladen.</translation>
    </message>
    <message>
        <source>There is no model in {}. Choose the folder that holds its weights and config.json.</source>
        <translation>In {} ist kein Modell. Bitte den Ordner mit seinen Gewichten und config.json wählen.</translation>
    </message>
    <message>
        <source>There is a model called {} already. Give another name.</source>
        <translation>Ein Modell namens {} gibt es schon. Bitte einen anderen Namen wählen.</translation>
    </message>
    <message>
        <source>The model {} is no longer in {}. Add it again.</source>
        <translation>Das Modell {} ist nicht mehr in {}. Bitte neu hinzufügen.</translation>
    </message>
    <message>
        <source>The model {} cannot be deleted: {}: {}.</source>
        <translation>Das Modell {} lässt sich nicht löschen: {}: {}.</translation>
    </message>
    <message>
        <source>What was fetched of {} cannot be deleted: {}.</source>
        <translation>Was von {} geladen wurde, lässt sich nicht löschen: {}.</translation>
    </message>
    <message>
        <source>The list of added models cannot be saved in {}: {}.</source>
        <translation>Die Liste der hinzugefügten Modelle lässt sich nicht in {} speichern: {}.</translation>
    </message>
    <message>
        <source>The comparison gave no result that can be read. Try again.</source>
        <translation>Der Vergleich ergab nichts Lesbares. Bitte noch einmal versuchen.</translation>
    </message>
    <message>
        <source>The measurement gave no result that can be read. Try again.</source>
        <translation>Die Messung ergab nichts Lesbares. Bitte noch einmal versuchen.</translation>
    </message>
    <message>
        <source>The measurement gave a best that it had not measured. Try again.</source>
        <translation>Die Messung nennt eine beste Einstellung, die sie nicht gemessen hat. Bitte noch einmal versuchen.</translation>
    </message>
</context>
<context>
    <name>ProblemReport</name>
    <message>
        <source>Report a problem</source>
        <translation>Problem melden</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Bericht</translation>
    </message>
    <message>
        <source>What did you do, what happened, and what did you expect?</source>
        <translation>Was wurde getan, was geschah, und was war zu erwarten?</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>Complete this text, copy it and send it to whoever gave you Earshot. Nothing is sent by itself.</source>
        <translation>Diesen Text ergänzen, kopieren und dorthin senden, woher Earshot stammt. Von selbst wird nichts gesendet.</translation>
    </message>
    <message>
        <source>Copied.</source>
        <translation>Kopiert.</translation>
    </message>
</context>
<context>
    <name>ProfileBox</name>
    <message>
        <source>Measure this computer</source>
        <translation>Diesen Computer vermessen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Quicker, but rougher</source>
        <translation>Schneller, aber gröber</translation>
    </message>
    <message>
        <source>A shorter recording, heard once with each setting</source>
        <translation>Eine kürzere Aufnahme, mit jeder Einstellung einmal gehört</translation>
    </message>
    <message>
        <source>Use this</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Progress of the measurement</source>
        <translation>Fortschritt der Messung</translation>
    </message>
    <message>
        <source>Captions a few seconds of the demo with every setting that makes sense here, and remembers the best. It takes a minute or two; the computer should do nothing else meanwhile.</source>
        <translation>Untertitelt ein paar Sekunden der Demo mit jeder Einstellung, die hier sinnvoll ist, und merkt sich die beste. Das dauert ein bis zwei Minuten, in denen der Prozessor sonst nichts zu tun haben sollte.</translation>
    </message>
    <message>
        <source>Delay of words with each setting. Automatic uses the best from now on.</source>
        <translation>Verzögerung der Wörter je Einstellung. „Automatisch“ verwendet von nun an die beste.</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>Modell wird geladen…</translation>
    </message>
    <message>
        <source>Cancelled. Nothing was changed.</source>
        <translation>Abgebrochen. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>{} of {} measured</source>
        <translation>{} von {} gemessen</translation>
    </message>
    <message>
        <source>End the captions first: they would be measured too.</source>
        <translation>Zuerst die Untertitel beenden: Sie würden mitgemessen.</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>In Gebrauch</translation>
    </message>
</context>
<context>
    <name>QuoteLinks</name>
    <message>
        <source>Show:</source>
        <translation>Zeigen:</translation>
    </message>
    <message>
        <source>Show “{}”</source>
        <translation>„{}“ zeigen</translation>
    </message>
</context>
<context>
    <name>Rail</name>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
</context>
<context>
    <name>ReplaceDialog</name>
    <message>
        <source>Replace all</source>
        <translation>Alles ersetzen</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Replace by</source>
        <translation>Ersetzen durch</translation>
    </message>
    <message>
        <source>Only &amp;whole words</source>
        <translation>Nur &amp;ganze Wörter</translation>
    </message>
    <message>
        <source>Match &amp;capital letters</source>
        <translation>G&amp;roß- und Kleinschreibung beachten</translation>
    </message>
    <message>
        <source>&amp;Replace all</source>
        <translation>Alles &amp;ersetzen</translation>
    </message>
    <message>
        <source>&amp;Find</source>
        <translation>&amp;Suchen</translation>
    </message>
    <message>
        <source>Replace &amp;by</source>
        <translation>Ersetzen &amp;durch</translation>
    </message>
    <message>
        <source>Found: {}</source>
        <translation>Gefunden: {}</translation>
    </message>
</context>
<context>
    <name>ReplayCard</name>
    <message>
        <source>What was heard</source>
        <translation>Was gehört wurde</translation>
    </message>
    <message>
        <source>What was heard: {}</source>
        <translation>Was gehört wurde: {}</translation>
    </message>
    <message>
        <source>95% of words within</source>
        <translation>95 % der Wörter binnen</translation>
    </message>
    <message>
        <source>Words that changed later</source>
        <translation>Später geänderte Wörter</translation>
    </message>
    <message>
        <source>median delay of a word</source>
        <translation>Verzögerung eines Wortes, Median</translation>
    </message>
    <message>
        <source>Real-time factor</source>
        <translation>Echtzeitfaktor</translation>
    </message>
    <message>
        <source>Words heard</source>
        <translation>Gehörte Wörter</translation>
    </message>
    <message>
        <source>{:.0f}%</source>
        <translation>{:.0f} %</translation>
    </message>
    <message>
        <source>{} s</source>
        <translation>{} s</translation>
    </message>
</context>
<context>
    <name>RepositoryLine</name>
    <message>
        <source>Repository on &amp;Hugging Face</source>
        <translation>&amp;Repository auf Hugging Face</translation>
    </message>
    <message>
        <source>Repository on Hugging Face</source>
        <translation>Repository auf Hugging Face</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Give two names with a slash between them, such as openai/whisper-small.</source>
        <translation>Zwei Namen mit einem Schrägstrich dazwischen angeben, etwa openai/whisper-small.</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>A Whisper model, or a language model that mlx-lm can run, with its weights as safetensors. A download that was interrupted goes on where it stopped.</source>
        <translation>Ein Whisper-Modell oder ein Sprachmodell für mlx-lm, mit Gewichten als safetensors. Ein unterbrochener Download geht weiter, wo er aufgehört hat.</translation>
    </message>
</context>
<context>
    <name>Row</name>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
</context>
<context>
    <name>Section</name>
    <message>
        <source>Reset to defaults</source>
        <translation>Auf Standard zurücksetzen</translation>
    </message>
    <message>
        <source>Set everything on this page back to its default</source>
        <translation>Alles auf dieser Seite auf den Standard zurückstellen</translation>
    </message>
</context>
<context>
    <name>SeekBar</name>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
</context>
<context>
    <name>ServerLine</name>
    <message>
        <source>Server, such as Ollama or LM Studio</source>
        <translation>Server, etwa Ollama oder LM Studio</translation>
    </message>
    <message>
        <source>Address of a server that answers</source>
        <translation>Adresse eines Servers, der antwortet</translation>
    </message>
    <message>
        <source>Look for local servers</source>
        <translation>Lokale Server suchen</translation>
    </message>
    <message>
        <source>Asks the usual ports of this computer, and nothing else</source>
        <translation>Fragt die üblichen Ports dieses Computers, sonst nichts</translation>
    </message>
    <message>
        <source>Answer with it</source>
        <translation>Damit antworten</translation>
    </message>
    <message>
        <source>Translate with it</source>
        <translation>Damit übersetzen</translation>
    </message>
    <message>
        <source>A server shows no probabilities: captions are translated later and less steadily.</source>
        <translation>Ein Server zeigt keine Wahrscheinlichkeiten: Untertitel werden später und weniger stabil übersetzt.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>Suche läuft …</translation>
    </message>
    <message>
        <source>Found: {}.</source>
        <translation>Gefunden: {}.</translation>
    </message>
    <message>
        <source>{} runs, but has no model yet.</source>
        <translation>{} läuft, hat aber noch kein Modell.</translation>
    </message>
    <message>
        <source>No server answers on this computer. Start one, and look again.</source>
        <translation>Auf diesem Computer antwortet kein Server. Bitte einen starten und noch einmal suchen.</translation>
    </message>
    <message>
        <source>This is no address of a server. Give one such as {}.</source>
        <translation>Das ist keine Adresse eines Servers. Richtig ist etwa {}.</translation>
    </message>
    <message>
        <source>What you ask and what was said are sent to {}, which is another computer.</source>
        <translation>Was Sie fragen und was gesagt wurde, wird an {} gesendet, einen anderen Computer.</translation>
    </message>
    <message>
        <source>A server shows no probabilities: verifiers and branches are off with it.</source>
        <translation>Ein Server zeigt keine Wahrscheinlichkeiten: Prüfer und Verzweigungen sind mit ihm aus.</translation>
    </message>
    <message>
        <source>Whoever listens to the network can read it.</source>
        <translation>Wer im Netz mithört, kann es lesen.</translation>
    </message>
</context>
<context>
    <name>SessionHeader</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
</context>
<context>
    <name>SessionList</name>
    <message>
        <source>Conversation</source>
        <translation>Unterhaltung</translation>
    </message>
    <message>
        <source>Captions</source>
        <translation>Untertitel</translation>
    </message>
    <message>
        <source>being recorded</source>
        <translation>läuft gerade</translation>
    </message>
    <message>
        <source>still open</source>
        <translation>noch offen</translation>
    </message>
    <message>
        <source>1 match</source>
        <translation>1 Treffer</translation>
    </message>
    <message>
        <source>{} matches</source>
        <translation>{} Treffer</translation>
    </message>
    <message>
        <source>ended unexpectedly</source>
        <translation>unerwartet beendet</translation>
    </message>
    <message>
        <source>{} s</source>
        <translation>{} s</translation>
    </message>
    <message>
        <source>{} min</source>
        <translation>{} min</translation>
    </message>
    <message>
        <source>{} h {} min</source>
        <translation>{} h {} min</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
</context>
<context>
    <name>SessionStartRow</name>
    <message>
        <source>Start when I lo&amp;g in</source>
        <translation>Beim An&amp;melden starten</translation>
    </message>
    <message>
        <source>Without a window: Earshot waits in the tray, or minimised where there is none.</source>
        <translation>Ohne Fenster: Earshot wartet im Infobereich, oder verkleinert, wo es keinen gibt.</translation>
    </message>
    <message>
        <source>This cannot be changed here: {}.</source>
        <translation>Das lässt sich hier nicht ändern: {}.</translation>
    </message>
    <message>
        <source>Earshot waits in the background, so that captions are at hand.</source>
        <translation>Earshot wartet im Hintergrund, damit Untertitel zur Hand sind.</translation>
    </message>
    <message>
        <source>The desktop does not allow it: see its settings for programs in the background.</source>
        <translation>Die Arbeitsumgebung erlaubt es nicht: siehe ihre Einstellungen für Programme im Hintergrund.</translation>
    </message>
    <message>
        <source>the desktop has no portal for it</source>
        <translation>die Arbeitsumgebung hat kein Portal dafür</translation>
    </message>
</context>
<context>
    <name>SessionWork</name>
    <message>
        <source>{} sessions are one now.</source>
        <translation>{} Sitzungen sind jetzt eine.</translation>
    </message>
    <message>
        <source>The sessions could not be joined: {}</source>
        <translation>Die Sitzungen ließen sich nicht verbinden: {}</translation>
    </message>
    <message>
        <source>{} sessions were deleted.</source>
        <translation>{} Sitzungen wurden gelöscht.</translation>
    </message>
    <message>
        <source>“{}” was deleted.</source>
        <translation>„{}“ wurde gelöscht.</translation>
    </message>
    <message>
        <source>This conversation is still open: begin a new one, then it can be deleted.</source>
        <translation>Diese Unterhaltung ist noch offen: erst eine neue beginnen, dann kann sie gelöscht werden.</translation>
    </message>
    <message>
        <source>This is still being recorded: stop it, then it can be deleted.</source>
        <translation>Dies wird noch aufgezeichnet. Löschen geht, sobald es beendet ist.</translation>
    </message>
</context>
<context>
    <name>SessionsPane</name>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Search the history</source>
        <translation>Verlauf durchsuchen</translation>
    </message>
    <message>
        <source>Finds words by how they begin, in what was said, translated and answered; use quotes for an &quot;exact phrase&quot;</source>
        <translation>Findet Wörter nach ihrem Anfang in Gesagtem, Übersetztem und Beantwortetem; &quot;genaue Folge&quot; in Anführungszeichen</translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation>Sitzungen</translation>
    </message>
    <message>
        <source>Nothing was found for “{}”.</source>
        <translation>Für „{}“ wurde nichts gefunden.</translation>
    </message>
    <message>
        <source>History is off: nothing that is said now is kept.</source>
        <translation>Der Verlauf ist ausgeschaltet: Was jetzt gesagt wird, wird nicht gespeichert.</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>General</source>
        <translation>Allgemein</translation>
    </message>
    <message>
        <source>Captions</source>
        <translation>Untertitel</translation>
    </message>
    <message>
        <source>Translation</source>
        <translation>Übersetzung</translation>
    </message>
    <message>
        <source>Overlay</source>
        <translation>Schwebende Untertitel</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>Ton</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Privacy and files</source>
        <translation>Datenschutz und Dateien</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>No setting matches.</source>
        <translation>Keine Einstellung passt dazu.</translation>
    </message>
    <message>
        <source>The settings were imported from {}.</source>
        <translation>Die Einstellungen wurden aus {} importiert.</translation>
    </message>
    <message>
        <source>All settings are back to their defaults. The history and its settings stay as they were.</source>
        <translation>Alle Einstellungen stehen auf Standard. Der Verlauf und seine Einstellungen blieben, wie sie sind.</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>The settings were exported to {}.</source>
        <translation>Die Einstellungen wurden nach {} exportiert.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Einstellungen suchen</translation>
    </message>
    <message>
        <source>Pages of the settings</source>
        <translation>Seiten der Einstellungen</translation>
    </message>
    <message>
        <source>Export settings</source>
        <translation>Einstellungen exportieren</translation>
    </message>
    <message>
        <source>Import settings</source>
        <translation>Einstellungen importieren</translation>
    </message>
    <message>
        <source>Settings (*.json);;All files (*)</source>
        <translation>Einstellungen (*.json);;Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>ShareDialog</name>
    <message>
        <source>For others to read</source>
        <translation>Zum Mitlesen</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>QR code of the address</source>
        <translation>QR-Code der Adresse</translation>
    </message>
    <message>
        <source>&amp;Copy address</source>
        <translation>Adresse &amp;kopieren</translation>
    </message>
    <message>
        <source>Keep live &amp;files while captions run</source>
        <translation>&amp;Dateien, die während der Untertitel wachsen</translation>
    </message>
    <message>
        <source>Choose a f&amp;older…</source>
        <translation>&amp;Ordner wählen …</translation>
    </message>
    <message>
        <source>Clos&amp;e</source>
        <translation>S&amp;chließen</translation>
    </message>
    <message>
        <source>On phones and tablets</source>
        <translation>Auf Telefonen und Tablets</translation>
    </message>
    <message>
        <source>A page in your local network, with the captions and their translation. Whoever has its address reads along until the captions end or you close it. It is not encrypted: do not open it in a network of strangers.</source>
        <translation>Eine Seite im lokalen Netz mit den Untertiteln und ihrer Übersetzung. Wer ihre Adresse hat, liest mit, bis die Untertitel enden oder die Seite geschlossen wird. Sie ist nicht verschlüsselt: nicht in fremden Netzen öffnen.</translation>
    </message>
    <message>
        <source>For OBS and scripts</source>
        <translation>Für OBS und Skripte</translation>
    </message>
    <message>
        <source>earshot-live.txt has the newest two lines. Beside it a subtitle file per recording grows.</source>
        <translation>earshot-live.txt enthält die neuesten zwei Zeilen. Daneben wächst je Aufnahme eine Untertiteldatei.</translation>
    </message>
    <message>
        <source>This computer is in no local network.</source>
        <translation>Dieser Computer ist in keinem lokalen Netz.</translation>
    </message>
    <message>
        <source>Reading along: {}</source>
        <translation>Mitlesende: {}</translation>
    </message>
    <message>
        <source>Close the &amp;page</source>
        <translation>Seite schli&amp;eßen</translation>
    </message>
    <message>
        <source>Open the &amp;page</source>
        <translation>S&amp;eite öffnen</translation>
    </message>
    <message>
        <source>The page cannot be opened: {}.</source>
        <translation>Die Seite lässt sich nicht öffnen: {}.</translation>
    </message>
    <message>
        <source>Copied.</source>
        <translation>Kopiert.</translation>
    </message>
    <message>
        <source>Folder of the live files</source>
        <translation>Ordner der wachsenden Dateien</translation>
    </message>
</context>
<context>
    <name>ShareStrip</name>
    <message>
        <source>Show code</source>
        <translation>Code zeigen</translation>
    </message>
    <message>
        <source>Close page</source>
        <translation>Seite schließen</translation>
    </message>
    <message>
        <source>Reading along: {}</source>
        <translation>Mitlesende: {}</translation>
    </message>
</context>
<context>
    <name>ShortcutList</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
</context>
<context>
    <name>SilenceCard</name>
    <message>
        <source>Microphones are blocked on this computer</source>
        <translation>Mikrofone sind auf diesem Computer gesperrt</translation>
    </message>
    <message>
        <source>Ask whoever manages it to allow them. Audio files need no microphone.</source>
        <translation>Wer ihn verwaltet, kann sie erlauben. Für Audiodateien braucht es kein Mikrofon.</translation>
    </message>
    <message>
        <source>There is no microphone</source>
        <translation>Es gibt kein Mikrofon</translation>
    </message>
    <message>
        <source>The chosen input is not connected</source>
        <translation>Der gewählte Eingang ist nicht angeschlossen</translation>
    </message>
    <message>
        <source>“{}” was not found. Connect it again, or choose another input.</source>
        <translation>„{}“ wurde nicht gefunden. Wieder anschließen oder einen anderen Eingang wählen.</translation>
    </message>
    <message>
        <source>The input cannot be opened</source>
        <translation>Der Eingang lässt sich nicht öffnen</translation>
    </message>
    <message>
        <source>“{}” is muted</source>
        <translation>„{}“ ist stummgeschaltet</translation>
    </message>
    <message>
        <source>The volume of “{}” is at zero</source>
        <translation>Die Lautstärke von „{}“ steht auf null</translation>
    </message>
    <message>
        <source>Turn it up in the system&apos;s sound settings, or here.</source>
        <translation>In den Toneinstellungen des Systems oder hier lauter stellen.</translation>
    </message>
    <message>
        <source>Even a quiet room makes some noise. Look for a mute switch on the microphone or its cable, and check that Earshot may use it.</source>
        <translation>Selbst ein stiller Raum rauscht ein wenig. Gibt es am Mikrofon oder am Kabel einen Stummschalter, und darf Earshot das Mikrofon verwenden?</translation>
    </message>
    <message>
        <source>The computer plays nothing on “{}”</source>
        <translation>Der Computer spielt auf „{}“ nichts ab</translation>
    </message>
    <message>
        <source>Captions begin once something is played there.</source>
        <translation>Untertitel beginnen, sobald dort etwas läuft.</translation>
    </message>
    <message>
        <source>Come closer, or turn its volume up.</source>
        <translation>Näher herangehen oder lauter stellen.</translation>
    </message>
    <message>
        <source>There is sound, but no speech in it</source>
        <translation>Es gibt Ton, aber keine Sprache darin</translation>
    </message>
    <message>
        <source>“{}” works. Music and noise are left out on purpose: look again, and speak meanwhile.</source>
        <translation>„{}“ funktioniert. Musik und Geräusche werden absichtlich ausgelassen: beim Sprechen erneut prüfen.</translation>
    </message>
    <message>
        <source>“{}” works, and speech is coming through: captions should appear.</source>
        <translation>„{}“ funktioniert, und Sprache kommt an: Untertitel sollten erscheinen.</translation>
    </message>
    <message>
        <source>If something is being played, allow Earshot to hear it in the system&apos;s privacy settings.</source>
        <translation>Wird etwas abgespielt, muss Earshot es in den Datenschutzeinstellungen des Systems hören dürfen.</translation>
    </message>
    <message>
        <source>The computer is playing sound</source>
        <translation>Der Computer spielt gerade etwas ab</translation>
    </message>
    <message>
        <source>To caption what is played on “{}”, choose that as the input.</source>
        <translation>Um zu untertiteln, was auf „{}“ läuft, diesen Eingang wählen.</translation>
    </message>
    <message>
        <source>The model is still loading</source>
        <translation>Das Modell wird noch geladen</translation>
    </message>
    <message>
        <source>Earshot is not allowed to use the microphone</source>
        <translation>Earshot darf das Mikrofon nicht verwenden</translation>
    </message>
    <message>
        <source>The system sends silence instead. Allow it in the system&apos;s privacy settings.</source>
        <translation>Das System liefert stattdessen Stille. In den Datenschutzeinstellungen des Systems lässt es sich erlauben.</translation>
    </message>
    <message>
        <source>Connect one, and it is found automatically. Audio files need no microphone.</source>
        <translation>Ein angeschlossenes wird von selbst gefunden. Für Audiodateien braucht es kein Mikrofon.</translation>
    </message>
    <message>
        <source>While an input is muted, no sound comes in.</source>
        <translation>Solange ein Eingang stummgeschaltet ist, kommt kein Ton an.</translation>
    </message>
    <message>
        <source>No sound comes from “{}”</source>
        <translation>Von „{}“ kommt kein Ton</translation>
    </message>
    <message>
        <source>“{}” picks up almost nothing</source>
        <translation>„{}“ nimmt kaum etwas auf</translation>
    </message>
    <message>
        <source>Speech is coming in</source>
        <translation>Es kommt Sprache an</translation>
    </message>
    <message>
        <source>Another input picks up more</source>
        <translation>Ein anderer Eingang nimmt mehr auf</translation>
    </message>
    <message>
        <source>“{}” is picking up sound now. Perhaps that is the one you speak into.</source>
        <translation>„{}“ nimmt gerade etwas auf. Vielleicht ist das das richtige Mikrofon.</translation>
    </message>
    <message>
        <source>Nothing is lost: what is said now will be captioned.</source>
        <translation>Nichts geht verloren: Was jetzt gesagt wird, wird noch untertitelt.</translation>
    </message>
    <message>
        <source>The captioning engine has stopped</source>
        <translation>Die Spracherkennung ist abgestürzt</translation>
    </message>
    <message>
        <source>What was recorded is kept. Restart the engine to go on.</source>
        <translation>Das Aufgenommene ist noch da. Nach einem Neustart der Erkennung geht es weiter.</translation>
    </message>
    <message>
        <source>Captions are {} s late</source>
        <translation>Die Untertitel sind {} s im Rückstand</translation>
    </message>
    <message>
        <source>This computer is busy. Close other programs, or choose a smaller model.</source>
        <translation>Der Computer ist ausgelastet. Andere Programme schließen oder ein kleineres Modell wählen.</translation>
    </message>
    <message>
        <source>Open privacy settings</source>
        <translation>Datenschutzeinstellungen öffnen</translation>
    </message>
    <message>
        <source>Unmute it</source>
        <translation>Stummschaltung aufheben</translation>
    </message>
    <message>
        <source>Turn it up</source>
        <translation>Lauter stellen</translation>
    </message>
    <message>
        <source>Use this input</source>
        <translation>Diesen Eingang verwenden</translation>
    </message>
    <message>
        <source>Restart engine</source>
        <translation>Erkennung neu starten</translation>
    </message>
</context>
<context>
    <name>SilenceDialog</name>
    <message>
        <source>Why is nothing being captioned?</source>
        <translation>Warum entstehen keine Untertitel?</translation>
    </message>
    <message>
        <source>Listening</source>
        <translation>Zuhören</translation>
    </message>
    <message>
        <source>Check &amp;again</source>
        <translation>&amp;Erneut prüfen</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>&amp;Schließen</translation>
    </message>
    <message>
        <source>Why is it silent?</source>
        <translation>Warum ist es still?</translation>
    </message>
    <message>
        <source>Listening for a moment. Say something.</source>
        <translation>Einen Moment wird zugehört. Bitte etwas sagen.</translation>
    </message>
    <message>
        <source>Possible causes, most likely first:</source>
        <translation>Mögliche Ursachen, die wahrscheinlichste zuerst:</translation>
    </message>
    <message>
        <source>Listening to every input for a moment. Say something.</source>
        <translation>Alle Eingänge werden kurz angehört. Bitte etwas sagen.</translation>
    </message>
</context>
<context>
    <name>Slowness</name>
    <message>
        <source>This computer is too slow to caption and translate at once: translations wait for a pause.</source>
        <translation>Dieser Computer ist zu langsam, um zugleich zu untertiteln und zu übersetzen: Übersetzungen warten auf eine Pause.</translation>
    </message>
    <message>
        <source>This computer is too slow for the model, and captions get worse. Close other programs, or choose a smaller model.</source>
        <translation>Dieser Computer ist zu langsam für das Modell, und die Untertitel werden schlechter. Bitte andere Programme schließen oder ein kleineres Modell wählen.</translation>
    </message>
    <message>
        <source>This computer is too slow for the model, and parts are not captioned. Close other programs, or choose a smaller model.</source>
        <translation>Dieser Computer ist zu langsam für das Modell, und manches wird nicht untertitelt. Bitte andere Programme schließen oder ein kleineres Modell wählen.</translation>
    </message>
</context>
<context>
    <name>SoundBar</name>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Länge</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Click a line to hear it.</source>
        <translation>Eine Zeile anklicken, um sie zu hören.</translation>
    </message>
</context>
<context>
    <name>SoundSettings</name>
    <message>
        <source>Same as system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>&amp;Listen to</source>
        <translation>&amp;Eingang</translation>
    </message>
    <message>
        <source>A microphone, or what this computer plays.</source>
        <translation>Ein Mikrofon oder der Ton dieses Computers.</translation>
    </message>
    <message>
        <source>&amp;Speak through</source>
        <translation>&amp;Ausgang</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
</context>
<context>
    <name>SoundStep</name>
    <message>
        <source>Can Earshot hear you?</source>
        <translation>Ist das Mikrofon zu hören?</translation>
    </message>
    <message>
        <source>Say something and watch the level. If the system asks whether Earshot may use the microphone, allow it.</source>
        <translation>Etwas sagen und den Pegel beobachten. Fragt das System, ob Earshot das Mikrofon verwenden darf, bitte erlauben.</translation>
    </message>
    <message>
        <source>Without a microphone you can caption files.</source>
        <translation>Auch ohne Mikrofon lassen sich Dateien untertiteln.</translation>
    </message>
    <message>
        <source>Without a microphone you can caption files, and what this computer plays.</source>
        <translation>Auch ohne Mikrofon lassen sich Dateien untertiteln und alles, was dieser Computer abspielt.</translation>
    </message>
</context>
<context>
    <name>SourcePicker</name>
    <message>
        <source>Audio source</source>
        <translation>Tonquelle</translation>
    </message>
    <message>
        <source>What to caption</source>
        <translation>Was untertitelt wird</translation>
    </message>
    <message>
        <source>Two sides: “You” and “Call”. What the microphone hears of the call is left out.</source>
        <translation>Zwei Seiten: „Ich“ und „Anruf“. Was das Mikrofon vom Anruf hört, wird weggelassen.</translation>
    </message>
    <message>
        <source>No microphone found</source>
        <translation>Kein Mikrofon gefunden</translation>
    </message>
    <message>
        <source>Looking for microphones…</source>
        <translation>Mikrofone werden gesucht…</translation>
    </message>
    <message>
        <source>The sound of the computer is gone</source>
        <translation>Der Ton des Computers ist weg</translation>
    </message>
    <message>
        <source>What this Mac plays: needs macOS 14.4 or a loopback device</source>
        <translation>Was dieser Mac abspielt: braucht macOS 14.4 oder ein Loopback-Gerät</translation>
    </message>
    <message>
        <source>Play and caption a file…</source>
        <translation>Datei mit Untertiteln abspielen…</translation>
    </message>
    <message>
        <source>Microphone and computer</source>
        <translation>Mikrofon und Computer</translation>
    </message>
</context>
<context>
    <name>SpeakerDialog</name>
    <message>
        <source>Nobody in particular said this.</source>
        <translation>Das hat niemand Bestimmtes gesagt.</translation>
    </message>
    <message>
        <source>“{}” said this line.</source>
        <translation>Diese Zeile hat „{}“ gesagt.</translation>
    </message>
    <message>
        <source>“{}” said these lines.</source>
        <translation>Diese Zeilen hat „{}“ gesagt.</translation>
    </message>
    <message>
        <source>Speaker</source>
        <translation>Sprecher</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Nobody in particular</source>
        <translation>Niemand Bestimmtes</translation>
    </message>
    <message>
        <source>For &amp;all lines of “{}”</source>
        <translation>Für &amp;alle Zeilen von „{}“</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>&amp;Sichern</translation>
    </message>
    <message>
        <source>&amp;Who said this?</source>
        <translation>&amp;Wer hat das gesagt?</translation>
    </message>
</context>
<context>
    <name>SpeakersOfTranscript</name>
    <message>
        <source>Sound that was searched for speakers</source>
        <translation>Ton, der nach Sprechern durchsucht ist</translation>
    </message>
    <message>
        <source>Telling the speakers apart…</source>
        <translation>Sprecher werden unterschieden…</translation>
    </message>
    <message>
        <source>Speaker {}</source>
        <translation>Sprecher {}</translation>
    </message>
    <message>
        <source>Only one voice is heard in the lines of “{}”.</source>
        <translation>In den Zeilen von „{}“ ist nur eine Stimme zu hören.</translation>
    </message>
    <message>
        <source>Only one person speaks in this session.</source>
        <translation>In dieser Sitzung spricht nur eine Person.</translation>
    </message>
    <message>
        <source>{} speakers were found.</source>
        <translation>{} Sprecher wurden gefunden.</translation>
    </message>
    <message>
        <source>“{}” was split by voice.</source>
        <translation>„{}“ wurde nach Stimmen geteilt.</translation>
    </message>
    <message>
        <source>Only “{}” speaks in this session.</source>
        <translation>Nur „{}“ spricht in dieser Sitzung.</translation>
    </message>
    <message>
        <source>The speakers were not found: {}</source>
        <translation>Die Sprecher wurden nicht gefunden: {}</translation>
    </message>
</context>
<context>
    <name>TalkBar</name>
    <message>
        <source>Type a question…</source>
        <translation>Frage schreiben…</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>&amp;Keep the microphone open</source>
        <translation>Mikrofon &amp;offen lassen</translation>
    </message>
    <message>
        <source>Speak whenever you like: a pause ends your question.</source>
        <translation>Jederzeit sprechen: Eine Pause beendet die Frage.</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Loading the models…</source>
        <translation>Modelle werden geladen…</translation>
    </message>
    <message>
        <source>Restarting the assistant…</source>
        <translation>Assistent wird neu gestartet…</translation>
    </message>
    <message>
        <source>A model cannot be loaded</source>
        <translation>Ein Modell lässt sich nicht laden</translation>
    </message>
    <message>
        <source>The assistant stopped</source>
        <translation>Der Assistent ist abgestürzt</translation>
    </message>
    <message>
        <source>Opening the microphone…</source>
        <translation>Mikrofon wird geöffnet…</translation>
    </message>
    <message>
        <source>Ready when you hold the button</source>
        <translation>Bereit, sobald die Taste gehalten wird</translation>
    </message>
    <message>
        <source>Listening</source>
        <translation>Hört zu</translation>
    </message>
    <message>
        <source>Hearing you</source>
        <translation>Hört Sprache</translation>
    </message>
    <message>
        <source>No sound is coming in</source>
        <translation>Es kommt kein Ton an</translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation>Denkt nach…</translation>
    </message>
    <message>
        <source>Answering</source>
        <translation>Antwortet</translation>
    </message>
    <message>
        <source>Speaking</source>
        <translation>Spricht</translation>
    </message>
    <message>
        <source>Playing an answer again</source>
        <translation>Antwort wird wiederholt</translation>
    </message>
</context>
<context>
    <name>TalkButton</name>
    <message>
        <source>Hold this, or the space bar, while you speak. Or click, speak, and click again.</source>
        <translation>Beim Sprechen halten, auch mit der Leertaste. Oder klicken, sprechen, wieder klicken.</translation>
    </message>
    <message>
        <source>Listening to you…</source>
        <translation>Hört zu…</translation>
    </message>
    <message>
        <source>Hold to talk</source>
        <translation>Zum Sprechen halten</translation>
    </message>
    <message>
        <source>A pause ends your question. Speak over an answer to interrupt it.</source>
        <translation>Eine Pause beendet die Frage. Dazwischenreden unterbricht die Antwort.</translation>
    </message>
    <message>
        <source>Stop listening</source>
        <translation>Zuhören beenden</translation>
    </message>
    <message>
        <source>Start listening</source>
        <translation>Zuhören beginnen</translation>
    </message>
</context>
<context>
    <name>ThreadsSection</name>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>What the measurement below found best for this computer and model.</source>
        <translation>Wie die Messung unten es für diesen Computer und dieses Modell am besten fand.</translation>
    </message>
    <message>
        <source>Threads for writing</source>
        <translation>Threads zum Schreiben</translation>
    </message>
    <message>
        <source>For the decoder: the processor&apos;s half.</source>
        <translation>Für den Decoder: die Hälfte des Prozessors.</translation>
    </message>
    <message>
        <source>Threads for listening</source>
        <translation>Threads zum Hören</translation>
    </message>
    <message>
        <source>For the encoder: the graphics processor&apos;s half where there is one.</source>
        <translation>Für den Encoder: die Hälfte des Grafikprozessors, wo es einen gibt.</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>Durchgänge</translation>
    </message>
    <message>
        <source>Overlapping helps if a round takes longer than the new sound that it hears.</source>
        <translation>Überlappen lohnt sich, wenn ein Durchgang länger dauert als sein neuer Ton.</translation>
    </message>
    <message>
        <source>as measured</source>
        <translation>wie gemessen</translation>
    </message>
    <message>
        <source>one after the other</source>
        <translation>nacheinander</translation>
    </message>
    <message>
        <source>overlap</source>
        <translation>überlappend</translation>
    </message>
    <message>
        <source>{:.0f} of {} cores</source>
        <translation>{:.0f} von {} Kernen</translation>
    </message>
</context>
<context>
    <name>Toolbox</name>
    <message>
        <source>Captions</source>
        <translation>Untertitel</translation>
    </message>
</context>
<context>
    <name>TranscriptExports</name>
    <message>
        <source>Exported {} sessions to {}.</source>
        <translation>{} Sitzungen nach {} exportiert.</translation>
    </message>
    <message>
        <source>Everything was copied.</source>
        <translation>Alles wurde kopiert.</translation>
    </message>
    <message>
        <source>Exported to {}.</source>
        <translation>Nach {} exportiert.</translation>
    </message>
    <message>
        <source>Exported to {}, in {}.</source>
        <translation>Nach {} exportiert, in {}.</translation>
    </message>
</context>
<context>
    <name>TranscriptPane</name>
    <message>
        <source>Not in this text</source>
        <translation>Nicht in diesem Text</translation>
    </message>
    <message>
        <source>{} of {}</source>
        <translation>{} von {}</translation>
    </message>
</context>
<context>
    <name>TranscriptText</name>
    <message>
        <source>First shown as: “{}”</source>
        <translation>Zuerst angezeigt: „{}“</translation>
    </message>
</context>
<context>
    <name>TranscriptTranslation</name>
    <message>
        <source>Captions that are translated</source>
        <translation>Übersetzte Untertitel</translation>
    </message>
    <message>
        <source>It was translated into {}.</source>
        <translation>Die Übersetzung ist fertig ({}).</translation>
    </message>
    <message>
        <source>It was not translated: {}</source>
        <translation>Die Übersetzung ist nicht gelungen: {}</translation>
    </message>
    <message>
        <source>Translating into {}: {} of {}</source>
        <translation>Übersetzung ({}): {} von {}</translation>
    </message>
</context>
<context>
    <name>TranscriptView</name>
    <message>
        <source>Transcript</source>
        <translation>Mitschrift</translation>
    </message>
    <message>
        <source>Shown {} s after it was said</source>
        <translation>{} s nach dem Sprechen angezeigt</translation>
    </message>
    <message>
        <source>Corrected. Heard: “{}”</source>
        <translation>Berichtigt. Gehört: „{}“</translation>
    </message>
    <message>
        <source>Marked</source>
        <translation>Markiert</translation>
    </message>
    <message>
        <source>Translated before the line above was corrected</source>
        <translation>Übersetzt, bevor die Zeile darüber berichtigt wurde</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Sie</translation>
    </message>
    <message>
        <source>Earshot</source>
        <translation>Earshot</translation>
    </message>
</context>
<context>
    <name>TranscriptionDialog</name>
    <message>
        <source>Also write</source>
        <translation>Außerdem schreiben</translation>
    </message>
    <message>
        <source>Tell &amp;speakers apart</source>
        <translation>Sp&amp;recher unterscheiden</translation>
    </message>
    <message>
        <source>&amp;Add files…</source>
        <translation>&amp;Dateien hinzufügen…</translation>
    </message>
    <message>
        <source>Add a &amp;folder…</source>
        <translation>&amp;Ordner hinzufügen…</translation>
    </message>
    <message>
        <source>&amp;Remove finished</source>
        <translation>&amp;Fertige entfernen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Ändern…</translation>
    </message>
    <message>
        <source>Change how recordings are transcribed</source>
        <translation>Ändern, wie Aufnahmen mitgeschrieben werden</translation>
    </message>
    <message>
        <source>Add audio or video files, or drop files and folders here.</source>
        <translation>Audio- oder Videodateien hinzufügen oder Dateien und Ordner hierher ziehen.</translation>
    </message>
    <message>
        <source>There are no audio or video files in this folder.</source>
        <translation>In diesem Ordner sind keine Audio- oder Videodateien.</translation>
    </message>
    <message>
        <source>Transcribe files</source>
        <translation>Dateien mitschreiben</translation>
    </message>
    <message>
        <source>Folder with recordings</source>
        <translation>Ordner mit Aufnahmen</translation>
    </message>
    <message>
        <source>Save the transcript</source>
        <translation>Mitschrift speichern</translation>
    </message>
    <message>
        <source>Nothing else: only keep it in the history</source>
        <translation>Nichts: nur im Verlauf</translation>
    </message>
    <message>
        <source>SubRip subtitles (.srt) beside the file</source>
        <translation>SubRip-Untertitel (.srt) neben der Datei</translation>
    </message>
    <message>
        <source>WebVTT subtitles (.vtt) beside the file</source>
        <translation>WebVTT-Untertitel (.vtt) neben der Datei</translation>
    </message>
    <message>
        <source>Text (.txt) beside the file</source>
        <translation>Text (.txt) neben der Datei</translation>
    </message>
    <message>
        <source>Markdown (.md) beside the file</source>
        <translation>Markdown (.md) neben der Datei</translation>
    </message>
    <message>
        <source>Word document (.docx) beside the file</source>
        <translation>Word-Dokument (.docx) neben der Datei</translation>
    </message>
    <message>
        <source>language detected</source>
        <translation>Sprache wird erkannt</translation>
    </message>
    <message>
        <source>translated into: {}</source>
        <translation>Übersetzung: {}</translation>
    </message>
    <message>
        <source>As for live captions: {}</source>
        <translation>Wie bei Live-Untertiteln: {}</translation>
    </message>
    <message>
        <source>{} of {} done</source>
        <translation>{} von {} fertig</translation>
    </message>
    <message>
        <source>{} of {} done, {} failed</source>
        <translation>{} von {} fertig, {} gescheitert</translation>
    </message>
    <message>
        <source>Also &amp;write</source>
        <translation>Außerdem schrei&amp;ben</translation>
    </message>
    <message>
        <source>Recordings are transcribed one after the other, as fast as this computer can. You can close this window; it goes on.</source>
        <translation>Aufnahmen werden nacheinander mitgeschrieben, so schnell dieser Computer kann. Dieses Fenster darf geschlossen werden; es geht weiter.</translation>
    </message>
</context>
<context>
    <name>TranscriptionQueue</name>
    <message>
        <source>It stopped before it had finished. Try again.</source>
        <translation>Es wurde beendet, bevor es fertig war. Bitte erneut versuchen.</translation>
    </message>
    <message>
        <source>Speaker {}</source>
        <translation>Sprecher {}</translation>
    </message>
    <message>
        <source>The transcript cannot be kept in the history now.</source>
        <translation>Die Mitschrift lässt sich gerade nicht im Verlauf speichern.</translation>
    </message>
</context>
<context>
    <name>TranscriptionStrip</name>
    <message>
        <source>Progress of all transcriptions</source>
        <translation>Fortschritt aller Mitschriften</translation>
    </message>
    <message>
        <source>Show transcriptions</source>
        <translation>Anzeigen</translation>
    </message>
    <message>
        <source>Transcribing {name} · {number} of {count}</source>
        <translation>{name} wird mitgeschrieben · {number} von {count}</translation>
    </message>
</context>
<context>
    <name>TranslationPanel</name>
    <message>
        <source>Translate into</source>
        <translation>Übersetzen in</translation>
    </message>
    <message>
        <source>How steadily captions are translated</source>
        <translation>Wie stabil Untertitel übersetzt werden</translation>
    </message>
    <message>
        <source>Trans&amp;lation settings…</source>
        <translation>Einste&amp;llungen der Übersetzung…</translation>
    </message>
    <message>
        <source>Translation settings</source>
        <translation>Einstellungen der Übersetzung</translation>
    </message>
    <message>
        <source>Reset to &amp;defaults</source>
        <translation>Auf &amp;Standard zurücksetzen</translation>
    </message>
    <message>
        <source>Reset to defaults</source>
        <translation>Auf Standard zurücksetzen</translation>
    </message>
    <message>
        <source>The starter translates everyday sentences only, and is often wrong.</source>
        <translation>Das Startmodell übersetzt nur Alltagssätze und liegt oft falsch.</translation>
    </message>
    <message>
        <source>&amp;Get a better model…</source>
        <translation>Besseres &amp;Modell holen…</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>English, by the model that hears</source>
        <translation>Englisch, vom Modell, das hört</translation>
    </message>
    <message>
        <source>A translation appears beneath every caption. It is made on this computer.</source>
        <translation>Unter jedem Untertitel erscheint eine Übersetzung. Sie entsteht auf diesem Computer.</translation>
    </message>
    <message>
        <source>How steady it really is will be measured here once there are a few sentences.</source>
        <translation>Wie stabil sie wirklich ist, wird hier nach einigen Sätzen gemessen.</translation>
    </message>
    <message>
        <source>Measured with these settings: no word that was shown has been taken back.</source>
        <translation>Mit diesen Einstellungen gemessen: Kein angezeigtes Wort wurde zurückgenommen.</translation>
    </message>
    <message>
        <source>Measured with these settings: for every 100 words that stayed, {:.0f} were taken back.</source>
        <translation>Mit diesen Einstellungen gemessen: Auf 100 bleibende Wörter kamen {:.0f} zurückgenommene.</translation>
    </message>
    <message>
        <source>The voice is {:.0f} s behind.</source>
        <translation>Die Stimme ist {:.0f} s zurück.</translation>
    </message>
    <message>
        <source>&amp;Translate into</source>
        <translation>Überse&amp;tzen in</translation>
    </message>
</context>
<context>
    <name>TranslationSection</name>
    <message>
        <source>Captions are not being translated. Choose a language above them, and these settings take effect.</source>
        <translation>Untertitel werden nicht übersetzt. Sobald darüber eine Sprache gewählt ist, wirken diese Einstellungen.</translation>
    </message>
</context>
<context>
    <name>TranslationSettings</name>
    <message>
        <source>A translation appears beneath every caption. It is made on this computer.</source>
        <translation>Unter jedem Untertitel erscheint eine Übersetzung. Sie entsteht auf diesem Computer.</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>&amp;Modell</translation>
    </message>
    <message>
        <source>Get more on the Models page.</source>
        <translation>Weitere gibt es auf der Seite „Modelle“.</translation>
    </message>
    <message>
        <source>&amp;Into</source>
        <translation>Ziel&amp;sprache</translation>
    </message>
    <message>
        <source>&amp;Translate captions</source>
        <translation>&amp;Untertitel übersetzen</translation>
    </message>
    <message>
        <source>Spoken translation</source>
        <translation>Gesprochene Übersetzung</translation>
    </message>
    <message>
        <source>Steadiness</source>
        <translation>Stabilität</translation>
    </message>
    <message>
        <source>&amp;Glossary</source>
        <translation>&amp;Glossar</translation>
    </message>
    <message>
        <source>A term and its translation on each line. The model is told to use them.</source>
        <translation>Je Zeile ein Begriff und seine Übersetzung. Das Modell soll sie verwenden.</translation>
    </message>
    <message>
        <source>Your own terms</source>
        <translation>Eigene Begriffe</translation>
    </message>
</context>
<context>
    <name>TransportBar</name>
    <message>
        <source>Recorded time</source>
        <translation>Aufgenommene Zeit</translation>
    </message>
    <message>
        <source>Private: nothing is kept</source>
        <translation>Privat: nichts wird behalten</translation>
    </message>
    <message>
        <source>The model, how long after a word is said it is confirmed, and how busy the computer is.</source>
        <translation>Das Modell, wie lange nach dem Sprechen ein Wort bestätigt ist, und wie ausgelastet der Computer ist.</translation>
    </message>
    <message>
        <source>What is said is kept again</source>
        <translation>Was gesagt wird, wird wieder behalten</translation>
    </message>
    <message>
        <source>{} s delay</source>
        <translation>{} s Verzögerung</translation>
    </message>
    <message>
        <source>{:.0f}% busy</source>
        <translation>{:.0f} % ausgelastet</translation>
    </message>
    <message>
        <source>Your microphone is silent</source>
        <translation>Das Mikrofon liefert keinen Ton</translation>
    </message>
    <message>
        <source>The sound of the computer is gone</source>
        <translation>Der Ton des Computers ist weg</translation>
    </message>
    <message>
        <source>Nothing is playing</source>
        <translation>Es wird nichts abgespielt</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>Modell wird geladen…</translation>
    </message>
    <message>
        <source>Opening the sound…</source>
        <translation>Der Ton wird geöffnet …</translation>
    </message>
    <message>
        <source>{} · your microphone is silent</source>
        <translation>{} · das Mikrofon liefert keinen Ton</translation>
    </message>
    <message>
        <source>The model cannot be loaded</source>
        <translation>Das Modell lässt sich nicht laden</translation>
    </message>
    <message>
        <source>Listening</source>
        <translation>Hört zu</translation>
    </message>
    <message>
        <source>Hearing speech</source>
        <translation>Hört Sprache</translation>
    </message>
    <message>
        <source>Microphone disconnected</source>
        <translation>Mikrofon nicht angeschlossen</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Catching up, {:.0f} s behind</source>
        <translation>Holt auf, {:.0f} s zurück</translation>
    </message>
    <message>
        <source>Finishing the last words…</source>
        <translation>Die letzten Wörter werden geschrieben…</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>The engine stopped</source>
        <translation>Die Spracherkennung ist abgestürzt</translation>
    </message>
    <message>
        <source>Restarting the engine…</source>
        <translation>Spracherkennung wird neu gestartet…</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source>Show &amp;Earshot</source>
        <translation>&amp;Earshot zeigen</translation>
    </message>
    <message>
        <source>Earshot is listening</source>
        <translation>Earshot hört zu</translation>
    </message>
    <message>
        <source>Earshot</source>
        <translation>Earshot</translation>
    </message>
</context>
<context>
    <name>TuningPages</name>
    <message>
        <source>What to tune</source>
        <translation>Was abgestimmt wird</translation>
    </message>
    <message>
        <source>Hearing</source>
        <translation>Hören</translation>
    </message>
    <message>
        <source>Translation</source>
        <translation>Übersetzung</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
</context>
<context>
    <name>TuningPanel</name>
    <message>
        <source>Tuning</source>
        <translation>Feinabstimmung</translation>
    </message>
    <message>
        <source>Compare…</source>
        <translation>Vergleich…</translation>
    </message>
    <message>
        <source>Close tuning</source>
        <translation>Feinabstimmung schließen</translation>
    </message>
</context>
<context>
    <name>UnbrokenCaptions</name>
    <message>
        <source>{} Captions go on as before.</source>
        <translation>{} Die Untertitel laufen weiter wie bisher.</translation>
    </message>
    <message>
        <source>The engine stopped responding and was restarted. No words were lost.</source>
        <translation>Die Spracherkennung reagierte nicht mehr und wurde neu gestartet. Kein Wort ging verloren.</translation>
    </message>
    <message>
        <source>The engine stopped unexpectedly and was restarted. No words were lost.</source>
        <translation>Die Spracherkennung ist abgestürzt und wurde neu gestartet. Kein Wort ging verloren.</translation>
    </message>
</context>
<context>
    <name>UnbrokenConversation</name>
    <message>
        <source>The assistant&apos;s engine stopped and was restarted. The conversation goes on.</source>
        <translation>Der Assistent ist abgestürzt und wurde neu gestartet. Die Unterhaltung geht weiter.</translation>
    </message>
</context>
<context>
    <name>WayBar</name>
    <message>
        <source>{} s</source>
        <translation>{} s</translation>
    </message>
    <message>
        <source>{} to write, {} to listen</source>
        <translation>{} zum Schreiben, {} zum Hören</translation>
    </message>
    <message>
        <source>{}, overlapping</source>
        <translation>{}, überlappend</translation>
    </message>
    <message>
        <source>{}, the best</source>
        <translation>{}, am besten</translation>
    </message>
    <message>
        <source>best · {}</source>
        <translation>am besten · {}</translation>
    </message>
</context>
<context>
    <name>WayBars</name>
    <message>
        <source>Delay of words by shares of the processor</source>
        <translation>Verzögerung der Wörter nach Anteilen am Prozessor</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>&amp;Back</source>
        <translation>&amp;Zurück</translation>
    </message>
    <message>
        <source>S&amp;kip</source>
        <translation>Über&amp;springen</translation>
    </message>
    <message>
        <source>&amp;Next</source>
        <translation>&amp;Weiter</translation>
    </message>
    <message>
        <source>Welcome to Earshot</source>
        <translation>Willkommen bei Earshot</translation>
    </message>
    <message>
        <source>D&amp;one</source>
        <translation>&amp;Fertig</translation>
    </message>
    <message>
        <source>{} of {}</source>
        <translation>{} von {}</translation>
    </message>
</context>
<context>
    <name>WordsRow</name>
    <message>
        <source>Names and terms that Earshot should write as you do, one a line, up to {}. They are used where the sound fits, in captions and in what you say to the assistant.</source>
        <translation>Namen und Begriffe in der richtigen Schreibweise, je Zeile einer, bis zu {}. Sie erscheinen, wo sie zum Gehörten passen: in Untertiteln und in Fragen an den Assistenten.</translation>
    </message>
    <message>
        <source>Anna Kowalczyk</source>
        <translation>Anna Kowalczyk</translation>
    </message>
    <message>
        <source>Words to &amp;know</source>
        <translation>Bekannte Wö&amp;rter</translation>
    </message>
    <message>
        <source>Add from a fi&amp;le…</source>
        <translation>Aus Datei hinzu&amp;fügen…</translation>
    </message>
    <message>
        <source>Text files (*.txt);;All files (*)</source>
        <translation>Textdateien (*.txt);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>File of words, one a line</source>
        <translation>Datei mit Wörtern, je Zeile eines</translation>
    </message>
</context>
<context>
    <name>WorkBar</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>It stopped before it had finished. Try again.</source>
        <translation>Es wurde beendet, bevor es fertig war. Bitte erneut versuchen.</translation>
    </message>
</context>
<context>
    <name>_Card</name>
    <message>
        <source>Close message</source>
        <translation>Meldung schließen</translation>
    </message>
</context>
<context>
    <name>_Chooser</name>
    <message>
        <source>{} (not connected)</source>
        <translation>{} (nicht angeschlossen)</translation>
    </message>
</context>
<context>
    <name>_Sentence</name>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
</context>
</TS>

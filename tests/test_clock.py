import pytest

from engine.clock import RealClock, SimulatedClock
from tests.hear.planted import FakeTimer


def test_the_simulated_clock_advances_with_audio_and_with_computation() -> None:
    clock = SimulatedClock()
    clock.spend(2.0, 0.3)
    assert clock.now() == pytest.approx(2.3)
    clock.spend(2.1, 0.3)  # this audio had arrived before the server was free
    assert clock.now() == pytest.approx(2.6)
    clock.spend(5.0, 0.0)
    assert clock.now() == 5.0


def test_a_simulated_round_hears_what_arrived_while_the_one_before_computed() -> None:
    clock = SimulatedClock()
    clock.spend(1.0, 2.0)
    assert clock.hearing_until(1.5, arrived_seconds=60.0) == 3.0
    assert clock.hearing_until(4.0, arrived_seconds=60.0) == 4.0


def test_handing_audio_over_early_does_not_move_the_simulated_clock() -> None:
    clock = SimulatedClock()
    clock.audio_arrived(60.0)
    assert clock.now() == 0.0
    clock.wait_until(1.0)
    assert clock.now() == 1.0


def test_the_real_clock_starts_with_the_first_chunk_which_has_just_been_spoken() -> None:
    timer = FakeTimer(1000.0)
    clock = RealClock(timer)
    assert clock.now() == 0.0
    timer.seconds += 7  # loading a model
    clock.audio_arrived(0.1)
    assert clock.now() == pytest.approx(0.1)
    timer.seconds += 2
    assert clock.now() == pytest.approx(2.1)


def test_nothing_arrives_before_it_was_spoken_on_the_real_clock() -> None:
    timer = FakeTimer()
    clock = RealClock(timer)
    clock.audio_arrived(0.1)
    timer.seconds += 0.5
    clock.audio_arrived(0.7)  # the device's clock is fast
    assert clock.now() == pytest.approx(0.7)
    clock.audio_arrived(0.7)
    assert clock.now() == pytest.approx(0.7)


def test_a_real_round_hears_all_that_arrived() -> None:
    assert RealClock(FakeTimer()).hearing_until(1.0, arrived_seconds=3.0) == 3.0
    assert RealClock(FakeTimer()).hearing_until(1.0, arrived_seconds=0.5) == 1.0


def test_waiting_lasts_until_the_moment_and_no_longer() -> None:
    timer = FakeTimer()
    naps: list[float] = []
    clock = RealClock(timer, sleep=naps.append)
    clock.wait_until(0.1)  # before the first chunk nothing is late or early
    clock.audio_arrived(0.1)
    clock.wait_until(0.2)
    timer.seconds += 1
    clock.wait_until(0.3)
    assert naps == pytest.approx([0.1])


def test_the_simulated_clock_runs_with_the_stopwatch_while_something_computes_and_leaps_otherwise() -> None:
    timer = FakeTimer(50.0)
    clock = SimulatedClock(timer)
    clock.spend(1.0, 0.0)
    timer.seconds += 9  # nothing computes: the caller's time is nobody's
    clock.set_computing(True)
    assert clock.patience(1.5) == pytest.approx(0.5)
    timer.seconds += 0.2
    assert clock.now() == pytest.approx(1.2)
    clock.set_computing(True)  # another one begins
    clock.spend(1.1, 0.0)
    timer.seconds += 0.11
    assert clock.now() == pytest.approx(1.31)
    assert clock.hearing_until(1.0, arrived_seconds=60.0) == pytest.approx(1.3)  # what has arrived in whole parts
    assert clock.hearing_until(1.5, arrived_seconds=60.0) == 1.5
    clock.set_computing(False)
    timer.seconds += 9
    assert clock.now() == pytest.approx(1.31)


def test_the_wall_clock_has_no_patience() -> None:
    clock = RealClock(FakeTimer())
    clock.set_computing(True)
    assert clock.patience(10.0) == 0.0


def test_the_simulated_clock_counts_what_the_calling_thread_computes_unless_it_runs_anyway() -> None:
    timer = FakeTimer()
    clock = SimulatedClock(timer)
    clock.spend(3.0, 0.0)
    started = clock.timer()
    timer.seconds += 0.2
    clock.spend_since(started)
    assert clock.now() == pytest.approx(3.2)
    clock.set_computing(True)
    started = clock.timer()
    timer.seconds += 0.5
    clock.spend_since(started)
    assert clock.now() == pytest.approx(3.7)


def test_the_real_clock_needs_no_telling() -> None:
    timer = FakeTimer()
    clock = RealClock(timer)
    clock.audio_arrived(0.0)
    timer.seconds += 0.5
    clock.spend_since(0.0)
    assert clock.now() == pytest.approx(0.5)

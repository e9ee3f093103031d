"""Conversion of measures: lengths, weights, volumes, temperatures, speeds, times, data."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from engine.answer.tools.wording import folded, tidy
from engine.turns import Language


@dataclass(frozen=True, slots=True)
class MeasureUnit:
    """A unit of one kind of measure.

    Attributes:
        factor, offset: the measure in the kind's first unit is (number + offset) * factor.
        names: its names by language; the first is the plural that answers use. "" holds signs.
    """

    kind: str
    factor: Fraction
    names: dict[str, str]
    offset: Fraction = Fraction(0)


def _unit(kind: str, factor: str, names: str, offset: str = "0") -> MeasureUnit:
    """Read a unit: its names by language, one after the other as in "en metres metre | de Meter"."""
    by_language = {}
    for part in names.split(" | "):
        language, _, ways = part.partition(" ")
        by_language["" if language == "all" else language] = ways
    return MeasureUnit(kind, Fraction(factor), by_language, Fraction(offset))


UNITS = (
    _unit("length", "1", "all m | en metres,metre,meters,meter | de Meter,Metern | fr mètres,mètre | es metros,metro"),
    _unit(
        "length", "1000",
        "all km | en kilometres,kilometre,kilometers,kilometer,kilometre | de Kilometer,Kilometern | "
        "fr kilomètres,kilomètre | es kilómetros,kilómetro",
    ),
    _unit(
        "length", "0.01",
        "all cm | en centimetres,centimetre,centimeters,centimeter | de Zentimeter,Zentimetern | "
        "fr centimètres,centimètre | es centímetros,centímetro",
    ),
    _unit(
        "length", "0.001",
        "all mm | en millimetres,millimetre,millimeters,millimeter | de Millimeter,Millimetern | "
        "fr millimètres,millimètre | es milímetros,milímetro",
    ),
    _unit("length", "1609.344", "all mi | en miles,mile | de Meilen,Meile | fr miles,mile | es millas,milla"),
    _unit("length", "0.3048", "all ft | en feet,foot | de Fuß | fr pieds,pied | es pies,pie"),
    _unit("length", "0.0254", "en inches,inch | de Zoll | fr pouces,pouce | es pulgadas,pulgada"),
    _unit("length", "0.9144", "all yd | en yards,yard | de Yards,Yard | fr yards,yard | es yardas,yarda"),
    _unit("weight", "1", "all kg | en kilograms,kilogram,kilos,kilo,kilogrammes,kilogramme | de Kilogramm,Kilo | "
          "fr kilogrammes,kilogramme,kilos,kilo | es kilogramos,kilogramo,kilos,kilo"),
    _unit("weight", "0.001", "all g | en grams,gram,grammes,gramme | de Gramm | fr grammes,gramme | es gramos,gramo"),
    _unit("weight", "1000", "all t | en tonnes,tonne | de Tonnen,Tonne | fr tonnes,tonne | es toneladas,tonelada"),
    _unit("weight", "0.45359237", "all lb,lbs | en pounds,pound | de Pfund | fr livres,livre | es libras,libra"),
    _unit("weight", "0.028349523125", "all oz | en ounces,ounce | de Unzen,Unze | fr onces,once | es onzas,onza"),
    _unit("weight", "6.35029318", "en stone,stone,stones"),
    _unit("volume", "1", "all l | en litres,litre,liters,liter | de Liter,Litern | fr litres,litre | es litros,litro"),
    _unit(
        "volume", "0.001",
        "all ml | en millilitres,millilitre,milliliters,milliliter | de Milliliter | fr millilitres,millilitre | "
        "es mililitros,mililitro",
    ),
    _unit("volume", "3.785411784", "en US gallons,US gallon,gallons,gallon | de Gallonen,Gallone | fr gallons,gallon | "
          "es galones,galón"),
    _unit("volume", "0.2365882365", "en US cups,US cup,cups,cup | de Tassen,Tasse | fr tasses,tasse | es tazas,taza"),
    _unit("volume", "0.473176473", "en US pints,US pint,pints,pint | fr pintes,pinte | es pintas,pinta"),
    _unit("volume", "4.54609", "en imperial gallons,imperial gallon,UK gallons,UK gallon"),
    _unit("volume", "0.56826125", "en imperial pints,imperial pint,UK pints,UK pint,British pints,British pint"),
    _unit("volume", "0.01478676478125", "en US tablespoons,US tablespoon,tablespoons,tablespoon,tbsp"),
    _unit("volume", "0.00492892159375", "en US teaspoons,US teaspoon,teaspoons,teaspoon,tsp"),
    _unit("volume", "0.015", "de Esslöffel,Esslöffeln,EL | fr cuillères à soupe,cuillère à soupe | "
          "es cucharadas,cucharada"),
    _unit("volume", "0.005", "de Teelöffel,Teelöffeln,TL | fr cuillères à café,cuillère à café | "
          "es cucharaditas,cucharadita"),
    _unit("area", "1", "all ha | en hectares,hectare | de Hektar | fr hectares,hectare | es hectáreas,hectárea"),
    _unit("area", "0.40468564224", "en acres,acre | de Acres,Acre | fr acres,acre | es acres,acre"),
    _unit("area", "0.0001", "all m²,m2 | en square metres,square metre,square meters,square meter | "
          "de Quadratmeter,Quadratmetern | fr mètres carrés,mètre carré | es metros cuadrados,metro cuadrado"),
    _unit("area", "0.000009290304", "all ft²,sq ft | en square feet,square foot | de Quadratfuß | "
          "fr pieds carrés,pied carré | es pies cuadrados,pie cuadrado"),
    _unit("area", "100", "all km² | en square kilometres,square kilometre,square kilometers,square kilometer | "
          "de Quadratkilometer,Quadratkilometern | fr kilomètres carrés,kilomètre carré | "
          "es kilómetros cuadrados,kilómetro cuadrado"),
    _unit("area", "258.9988110336", "en square miles,square mile | de Quadratmeilen,Quadratmeile | "
          "fr miles carrés,mile carré | es millas cuadradas,milla cuadrada"),
    _unit(
        "temperature", "1",
        "all °c,° c,c | en degrees Celsius,degree Celsius,Celsius,degrees centigrade,centigrade | "
        "de Grad Celsius,Celsius | fr degrés Celsius,degré Celsius,Celsius | es grados Celsius,grado Celsius,Celsius",
    ),
    _unit(
        "temperature", "5/9",
        "all °f,° f,f | en degrees Fahrenheit,degree Fahrenheit,Fahrenheit | de Grad Fahrenheit,Fahrenheit | "
        "fr degrés Fahrenheit,degré Fahrenheit,Fahrenheit | es grados Fahrenheit,grado Fahrenheit,Fahrenheit",
        offset="-32",
    ),
    _unit("temperature", "1", "en kelvin,kelvins | de Kelvin | fr kelvins,kelvin | es kelvin", offset="-273.15"),
    _unit(
        "speed", "1",
        "all km/h,kph,kmh,kmph | en kilometres per hour,kilometers per hour,kilometres an hour | "
        "de Kilometer pro Stunde,Stundenkilometer | fr kilomètres par heure,kilomètres à l'heure | "
        "es kilómetros por hora",
    ),
    _unit(
        "speed", "1.609344",
        "all mph | en miles per hour,miles an hour | de Meilen pro Stunde | fr miles par heure | es millas por hora",
    ),
    _unit("speed", "1.852", "all kn | en knots,knot | de Knoten | fr nœuds,nœud | es nudos,nudo"),
    _unit("speed", "3.6", "all m/s | en metres per second,meters per second | de Meter pro Sekunde | "
          "fr mètres par seconde | es metros por segundo"),
    _unit("time", "1", "en seconds,second | de Sekunden,Sekunde | fr secondes,seconde | es segundos,segundo"),
    _unit("time", "60", "en minutes,minute | de Minuten,Minute | fr minutes,minute | es minutos,minuto"),
    _unit("time", "3600", "en hours,hour | de Stunden,Stunde | fr heures,heure | es horas,hora"),
    _unit("time", "86400", "en days,day | de Tage,Tag,Tagen | fr jours,jour | es días,día"),
    _unit("time", "604800", "en weeks,week | de Wochen,Woche | fr semaines,semaine | es semanas,semana"),
    _unit("data", "1", "all mb | en megabytes,megabyte | de Megabyte | fr mégaoctets,mégaoctet | "
          "es megabytes,megabyte"),
    _unit("data", "1000", "all gb | en gigabytes,gigabyte | de Gigabyte | fr gigaoctets,gigaoctet | "
          "es gigabytes,gigabyte"),
    _unit("data", "1000000", "all tb | en terabytes,terabyte | de Terabyte | fr téraoctets,téraoctet | "
          "es terabytes,terabyte"),
    _unit("data", "0.001", "all kb | en kilobytes,kilobyte | de Kilobyte | fr kilooctets,kilooctet | "
          "es kilobytes,kilobyte"),
)  # fmt: skip


@cache
def _by_name(language: Language) -> dict[str, MeasureUnit]:
    found: dict[str, MeasureUnit] = {}
    for unit in UNITS:
        ways = (*unit.names.get(language, "").split(","), *unit.names.get("", "").split(","))
        found |= {folded(tidy(name)): unit for name in ways if name}
    return found


@cache
def unit_expression(language: Language) -> str:
    """Return a regular expression for a unit's name, without capturing groups, over folded text."""
    names = sorted(_by_name(language), key=len, reverse=True)
    return "(?:" + "|".join(map(re.escape, names)) + ")"


_FEWEST_LETTERS = 6
"""Fewest letters of a unit that is known when it is misspelt."""


@cache
def unit_words(language: Language) -> frozenset[str]:
    """Return the words of a language's units that are long enough to be known when they are misspelt."""
    return frozenset(word for name in _by_name(language) for word in name.split() if len(word) >= _FEWEST_LETTERS)


def find_unit(name: str, language: Language) -> MeasureUnit | None:
    """Find a unit by one of its names; return None if there is none."""
    return _by_name(language).get(folded(tidy(name)))


def converted(number: Fraction, unit: MeasureUnit, target: MeasureUnit) -> Fraction | None:
    """Return a measure in another unit; None if that measures something else."""
    if unit.kind != target.kind:
        return None
    return (number + unit.offset) * unit.factor / target.factor - target.offset


def write_unit(number: Fraction, unit: MeasureUnit, language: Language) -> str:
    """Return a unit's name behind a number, in the singular for one."""
    ways = unit.names.get(language, "").split(",")
    return ways[1] if number == 1 and len(ways) > 1 else ways[0]

/** `as: number` with a decimal mark and a unit, for numbers as people write them. */
import { type ColumnMapping, columnOf, type FieldFix } from './field-fix.ts';

/** Units that do not change the number. Not "Mio" or "k": as a unit, 1.5 Mio would be 1.5. */
const UNIT = /\d\s*(%|percent|pct|prozent|points?|pts|punkte|employees|people|staff|fte|mitarbeiter|empleados)$/iu;
const FRACTION = /^0?[.,]\d+$/u;
const MARKS = [undefined, '.', ','] as const;

export function numberFixes(mapping: ColumnMapping, texts: readonly string[]): readonly FieldFix[] {
  const unit = commonUnit(texts);
  const units = unit === undefined ? [undefined] : [undefined, unit];
  const given = 'as' in mapping && mapping.as === 'number' ? mapping.scale : undefined;
  // 0.85 for a field of 0 to 100.
  const scale = given ?? (texts.length > 0 && texts.every((text) => FRACTION.test(text)) ? 100 : undefined);
  const isAmbiguous = texts.some((text) => /^\D*\d{1,3}[.,]\d{3}\D*$/u.test(text));
  return units.flatMap((each) =>
    MARKS.map((decimal): FieldFix => {
      const why = [
        'the values are numbers',
        ...(decimal === undefined ? [] : [`"${decimal}" is the decimal mark`]),
        ...(each === undefined ? [] : [`"${each}" is a unit`]),
        ...(scale === given ? [] : ['they are shares of 100']),
      ];
      return {
        mapping: {
          ...columnOf(mapping),
          as: 'number',
          ...(decimal === undefined ? {} : { decimal }),
          ...(each === undefined ? {} : { unit: each }),
          ...(scale === undefined ? {} : { scale }),
        },
        why: why.join(', and '),
        ...(isAmbiguous ? { isAmbiguous } : {}),
      };
    }),
  );
}

/** The most frequent text after a number. */
function commonUnit(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const unit = UNIT.exec(text.trim())?.[1];
    if (unit !== undefined) counts.set(unit, (counts.get(unit) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return most?.[0];
}

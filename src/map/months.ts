/**
 * Month names for `as: date` with `locale`. Node's own tables differ between versions, but the same input must give the same
 * records everywhere. Names of days are English only. Pure.
 */

export const LOCALES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'no', 'pl', 'cs', 'tr', 'ru'] as const;

export type Locale = (typeof LOCALES)[number];

/** From January to December; slashes separate the forms of a month. In lower case, as {@link plain} leaves them: й is и. */
const NAMES: Readonly<Record<Locale, string>> = {
  en: 'january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct november/nov december/dec',
  de: 'januar/janner/jan februar/feber/feb marz/maerz/mrz/mar april/apr mai juni/jun juli/jul august/aug september/sep/sept oktober/okt november/nov dezember/dez',
  fr: 'janvier/janv/jan fevrier/fevr/fev mars avril/avr mai juin juillet/juil aout septembre/sept/sep octobre/oct novembre/nov decembre/dec',
  es: 'enero/ene febrero/feb marzo/mar abril/abr mayo/may junio/jun julio/jul agosto/ago septiembre/setiembre/sept/sep/set octubre/oct noviembre/nov diciembre/dic',
  it: 'gennaio/gen febbraio/feb marzo/mar aprile/apr maggio/mag giugno/giu luglio/lug agosto/ago settembre/set/sett ottobre/ott novembre/nov dicembre/dic',
  pt: 'janeiro/jan fevereiro/fev marco/mar abril/abr maio/mai junho/jun julho/jul agosto/ago setembro/set outubro/out novembro/nov dezembro/dez',
  sv: 'januari/jan februari/feb mars/mar april/apr maj juni/jun juli/jul augusti/aug september/sept/sep oktober/okt november/nov december/dec',
  da: 'januar/jan februar/feb marts/mar april/apr maj juni/jun juli/jul august/aug september/sept/sep oktober/okt november/nov december/dec',
  no: 'januar/jan februar/feb mars/mar april/apr mai juni/jun juli/jul august/aug september/sept/sep oktober/okt november/nov desember/des',
  pl: 'stycznia/styczen/sty lutego/luty/lut marca/marzec/mar kwietnia/kwiecien/kwi maja/maj czerwca/czerwiec/cze lipca/lipiec/lip sierpnia/sierpien/sie wrzesnia/wrzesien/wrz pazdziernika/pazdziernik/paz listopada/listopad/lis grudnia/grudzien/gru',
  cs: 'ledna/leden/led unora/unor/uno brezna/brezen/bre dubna/duben/dub kvetna/kveten/kve cervna/cerven/cvn cervence/cervenec/cvc srpna/srpen/srp zari/zar rijna/rijen/rij listopadu/listopad/lis prosince/prosinec/pro',
  tr: 'ocak/oca subat/sub mart/mar nisan/nis mayıs/may haziran/haz temmuz/tem agustos/agu eylul/eyl ekim/eki kasım/kas aralık/ara',
  ru: 'января/январь/янв февраля/февраль/февр/фев марта/март/мар апреля/апрель/апр мая/маи июня/июнь/июн июля/июль/июл августа/август/авг сентября/сентябрь/сент/сен октября/октябрь/окт ноября/ноябрь/нояб/ноя декабря/декабрь/дек',
  nl: 'januari/jan februari/feb maart/mrt april/apr mei juni/jun juli/jul augustus/aug september/sep/sept oktober/okt november/nov december/dec',
};

export const ENGLISH_MONTHS =
  'January February March April May June July August September October November December'.split(' ');

/** The month's index, from 0, by name. */
const INDEXES: ReadonlyMap<Locale, ReadonlyMap<string, number>> = new Map(
  LOCALES.map((locale) => [
    locale,
    new Map(NAMES[locale].split(' ').flatMap((forms, month) => forms.split('/').map((form) => [form, month] as const))),
  ]),
);

/** A word, with the full stop of an abbreviation. */
const WORD = /\p{L}{3,}\.?/gu;

/** Translates the month names of a text to English, whole (`MMMM`) or as three letters (`MMM`). Keeps other words. */
export function withEnglishMonths(text: string, locale: Locale, form: 'whole' | 'short'): string {
  return text.replace(WORD, (word) => {
    const month = INDEXES.get(locale)?.get(plain(word));
    const name = month === undefined ? undefined : ENGLISH_MONTHS[month];
    return name === undefined ? word : form === 'whole' ? name : name.slice(0, 3);
  });
}

/** The languages in which every text contains a month name; English first. */
export function localesOf(texts: readonly string[]): readonly Locale[] {
  return LOCALES.filter((locale) =>
    texts.every((text) => (text.match(WORD) ?? []).some((word) => INDEXES.get(locale)?.has(plain(word)))),
  );
}

function plain(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{M}|\./gu, '')
    .toLowerCase();
}

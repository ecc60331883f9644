/**
 * The several spellings one mobile number has had. WhatsApp ids keep the spelling of the day an account was made,
 * people write today's: both must lead to the same contact, and a landline must never be taken for a mobile.
 */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** ISO 3166 code of the country of these digits (no plus); undefined where they are no number, or of no one country. */
export function phoneCountry(digits: string): string | undefined {
  return parsePhoneNumberFromString(`+${digits}`)?.country;
}

/** Other spellings of these digits (no plus), never the given one; empty where a number has only one. */
export function otherPhoneForms(digits: string): readonly string[] {
  return [...brazil(digits), ...mexico(digits), ...argentina(digits)];
}

/**
 * Brazil put a 9 before its eight-digit mobiles (2012 to 2016). The old spelling is recognised by being no valid
 * number today: eight digits that are valid as they stand are a landline and stay as they are.
 */
function brazil(digits: string): string[] {
  const withoutNine = /^55(\d{2})(\d{8})$/.exec(digits);
  if (withoutNine !== null) {
    const today = `55${withoutNine[1]}9${withoutNine[2]}`;
    return !isValid(digits) && isMobile(today) ? [today] : [];
  }
  const withNine = /^55(\d{2})9(\d{8})$/.exec(digits);
  if (withNine === null) return [];
  const old = `55${withNine[1]}${withNine[2]}`;
  return isMobile(digits) && !isValid(old) ? [old] : [];
}

/** Mexico wrote a 1 between country code and mobile until 2019; national numbers never begin with 1. */
function mexico(digits: string): string[] {
  const old = /^521([2-9]\d{9})$/.exec(digits);
  if (old !== null) return isValid(`52${old[1]}`) ? [`52${old[1]}`] : [];
  return /^52[2-9]\d{9}$/.test(digits) && isValid(digits) ? [`521${digits.slice(2)}`] : [];
}

/** Argentina writes a 9 before a mobile when called from abroad; no ten-digit number is both mobile and landline. */
function argentina(digits: string): string[] {
  const mobile = /^549([1-3]\d{9})$/.exec(digits);
  if (mobile !== null) return isValid(digits) ? [`54${mobile[1]}`] : [];
  return /^54[1-3]\d{9}$/.test(digits) && isValid(`549${digits.slice(2)}`) ? [`549${digits.slice(2)}`] : [];
}

function isValid(digits: string): boolean {
  return parsePhoneNumberFromString(`+${digits}`)?.isValid() ?? false;
}

function isMobile(digits: string): boolean {
  const type = parsePhoneNumberFromString(`+${digits}`)?.getType();
  return type === 'MOBILE' || type === 'FIXED_LINE_OR_MOBILE';
}

/**
 * Who a WhatsApp person is, in one string and its aliases.
 *
 * `address` is what a reply is sent to: the phone (digits, no plus, exactly as Meta wrote it) while Meta shows it, since
 * sending to the phone keeps it shown; else the business-scoped user id (`BR.1349…`), else its parent form. All the other
 * names, and the other spellings of the phone, are aliases: the desk finds one contact by any of them. A user id is never
 * changed in any way. Source: "Business-scoped user IDs", Meta, November 2026.
 */
import type { ContactRef } from '../../domain/schemas/events.ts';
import { otherPhoneForms, phoneCountry } from './phone-forms.ts';

export interface Names {
  readonly phone?: string | undefined;
  readonly userId?: string | undefined;
  readonly parentUserId?: string | undefined;
  readonly displayName?: string | undefined;
}

const NAME_LIMIT = 200;
const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

/** Undefined when nothing names the person. */
export function contactOf({ phone, userId, parentUserId, displayName }: Names): ContactRef | undefined {
  const digits = phoneDigits(phone);
  const names = [digits, usable(userId), usable(parentUserId)].filter((name) => name !== undefined);
  const address = names[0];
  if (address === undefined) return undefined;
  const aliases = [...names.slice(1), ...(digits === undefined ? [] : otherPhoneForms(digits))].filter(
    (name) => name !== address,
  );
  const country = countryOf(digits, usable(userId) ?? usable(parentUserId));
  return {
    address,
    ...(aliases.length > 0 && { aliases: [...new Set(aliases)] }),
    ...(displayName !== undefined && displayName !== '' && { name: displayName.slice(0, NAME_LIMIT) }),
    ...(country !== undefined && { country }),
  };
}

/** Of the phone; else the one that a user id begins with. */
function countryOf(digits: string | undefined, userId: string | undefined): string | undefined {
  return (
    (digits && phoneCountry(digits)) ?? (userId !== undefined && USER_ID.test(userId) ? userId.slice(0, 2) : undefined)
  );
}

/** How Meta wants a recipient: a phone with its plus (without it, the business's own country code may be put before it), or a user id. */
export function recipientOf(address: string): { readonly to: string } | { readonly recipient: string } {
  return USER_ID.test(address) ? { recipient: address } : { to: `+${address.replace(/^\+/, '')}` };
}

/** Digits of a phone, however it was written; a user id that stands where a phone belongs is left as it is. */
function phoneDigits(phone: string | undefined): string | undefined {
  if (phone === undefined || USER_ID.test(phone)) return usable(phone);
  const digits = phone.replace(/[^0-9]/g, '');
  return digits.length >= 5 && digits.length <= 20 ? digits : undefined;
}

function usable(name: string | undefined): string | undefined {
  return name !== undefined && name.length > 0 && name.length <= 200 ? name : undefined;
}

/**
 * What each of WhatsApp's error codes means for us. Codes come in the answer to a send, in a `failed` status, or both.
 * Source: "Error codes", WhatsApp Business Platform, Cloud API (read November 2026); Meta asks to branch on the code alone.
 */
import type { ChannelFailure } from '../channel-error.ts';

/** `wait`: how long to leave it at least, in ms, where Meta gives a number. */
export interface CodeMeaning {
  readonly failure: ChannelFailure;
  readonly what: string;
  readonly wait?: number;
}

const SECOND = 1_000;

const BY_CODE: Readonly<Record<number, CodeMeaning>> = {
  // The service window.
  131047: {
    failure: 'window_closed',
    what: 'more than 24 hours since the customer last wrote: only a template may be sent',
  },
  // Rates. A pair gets about one message in six seconds; the account limit is counted by the hour.
  4: { failure: 'rate_limited', what: 'the app made too many calls', wait: 60 * SECOND },
  80007: { failure: 'rate_limited', what: 'the WhatsApp Business account made too many calls', wait: 60 * SECOND },
  130429: { failure: 'rate_limited', what: 'the number sends faster than its throughput', wait: SECOND },
  131056: { failure: 'rate_limited', what: 'too many messages to this one person', wait: 6 * SECOND },
  // Meta kept it back for the sake of quality: trying again makes it worse.
  131048: { failure: 'permanent', what: 'the number is restricted because too many people blocked or reported it' },
  131049: { failure: 'permanent', what: 'not delivered, to keep this person from too much marketing' },
  130472: { failure: 'permanent', what: 'this person is in an experiment that gets no marketing messages' },
  131050: { failure: 'marketing_stopped', what: 'this person has stopped marketing messages from this business' },
  // This person.
  131026: { failure: 'unreachable', what: 'cannot be delivered: no WhatsApp, an old version, or terms not accepted' },
  130497: { failure: 'unreachable', what: "the account may not message people in this person's country" },
  131021: { failure: 'permanent', what: 'sender and recipient are the same number' },
  131030: { failure: 'permanent', what: "the recipient is not on the test number's list of allowed numbers" },
  131062: { failure: 'permanent', what: 'this kind of message cannot be sent to a user id; it needs a phone number' },
  // Passing trouble on Meta's side. The last three refuse before accepting; the others leave the fate open.
  1: { failure: 'unknown_fate', what: 'an unknown error of the API' },
  2: { failure: 'unknown_fate', what: 'the API is temporarily down' },
  131000: { failure: 'unknown_fate', what: 'something went wrong at WhatsApp' },
  131016: { failure: 'outage', what: 'the service is temporarily overloaded' },
  131057: {
    failure: 'outage',
    what: 'the number is in maintenance (a throughput upgrade takes up to a minute)',
    wait: 60 * SECOND,
  },
  133004: { failure: 'outage', what: 'the server is temporarily unavailable' },
  // The key to the number.
  0: { failure: 'unauthorized', what: 'the access token is invalid or expired' },
  3: { failure: 'unauthorized', what: 'the app may not use this call' },
  10: { failure: 'unauthorized', what: 'the token lacks the permission whatsapp_business_messaging' },
  190: { failure: 'unauthorized', what: 'the access token has expired' },
  // The account.
  368: { failure: 'unauthorized', what: 'the account is blocked for violating a policy' },
  131005: { failure: 'unauthorized', what: 'the token has no access to this number' },
  131031: { failure: 'unauthorized', what: 'the account is locked' },
  131037: { failure: 'unauthorized', what: "the number's display name is not approved" },
  131042: { failure: 'unauthorized', what: 'there is no valid payment method' },
  131045: { failure: 'unauthorized', what: 'the number is not registered: wrong certificate' },
  // The request: a mistake of ours or of the configuration.
  33: { failure: 'permanent', what: 'the phone number id does not exist or was deleted' },
  100: { failure: 'permanent', what: 'a parameter is not valid' },
  131008: { failure: 'permanent', what: 'a required parameter is missing' },
  131009: { failure: 'permanent', what: "a parameter's value is not valid" },
  131051: { failure: 'permanent', what: 'this kind of message is not supported' },
  131052: { failure: 'permanent', what: "the customer's file could not be downloaded" },
  131053: { failure: 'permanent', what: 'the file could not be uploaded' },
};

/** Codes by range: the permissions, everything about templates, everything about a number's registration. */
const BY_RANGE: readonly { readonly from: number; readonly to: number; readonly meaning: CodeMeaning }[] = [
  { from: 200, to: 299, meaning: { failure: 'unauthorized', what: 'a permission was not granted or was withdrawn' } },
  {
    from: 132_000,
    to: 132_999,
    meaning: { failure: 'permanent', what: 'the template is missing, paused, disabled or was given wrong parameters' },
  },
  {
    from: 133_000,
    to: 133_999,
    meaning: { failure: 'unauthorized', what: 'the number is not registered or its two-step PIN is wrong' },
  },
];

/** Undefined: a code we do not know; the HTTP status decides then. */
export function meaningOf(code: number): CodeMeaning | undefined {
  return BY_CODE[code] ?? BY_RANGE.find(({ from, to }) => code >= from && code <= to)?.meaning;
}

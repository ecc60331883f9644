/**
 * Words by which a person says "write to me no more", or takes it back. They count only as the whole message: "stop"
 * ends everything, "the bus stop is near" is conversation. Case, accents, punctuation and emoji do not matter.
 *
 * Where the words come from: English, the seven that 47 CFR 64.1200(a)(10) calls reasonable by themselves (stop, quit,
 * end, revoke, opt out, cancel, unsubscribe) and the ones US and Canadian carriers require (AWS End User Messaging,
 * "Required opt-out keywords", adds remove, arret, td; Twilio and Telnyx add stopall). Spanish and Portuguese: the
 * defaults of Sinch's consent management (detener, salir; parar, cancelar) and the words in use there for SMS (baja;
 * sair, pare, descadastrar). Other languages: the same request, one plain word each.
 *
 * Left out on purpose: "no", "não" and "alto" (answers to a question; the last one also means "high"), and "yes" as an
 * opt-in, which some carriers take: consent taken back must be given again by a word that can mean nothing else.
 */

const OPT_OUT = phrases(`
  stop all, stopall, quit, end, revoke, opt out, optout, cancel, unsubscribe,
  unsubscribe me, remove, remove me
  parem, sair, cancelar, descadastrar, descadastre, remover, me remova, cancelar inscricao
  detener, salir, baja, darme de baja, dame de baja, dar de baja, cancelar suscripcion, eliminar, desuscribir
  arret, arreter, desabonner, desinscrire, se desabonner, td
  stopp, abmelden, abbestellen, austragen
  basta, cancellami, disiscrivimi, annulla iscrizione
  afmelden, uitschrijven
`);

/** With or without a "please": whole sentences can mean nothing else. */
const ASKED_TO_STOP = phrases(`
  stop, stop writing to me, stop messaging me, stop texting me, stop contacting me, leave me alone
  do not write to me, don t write to me, do not message me, don t message me, do not contact me, don t contact me
  parar, pare, pare de me escrever, pare de me mandar mensagens, nao me escreva mais, nao me mande mais mensagens, me deixe em paz
  deje de escribirme, dejen de escribirme, deja de escribirme, no me escriba mas, no me escriban mas, no me escribas mas
  dejeme en paz, dejame en paz
`);
const PLEASE = /^(?:please|por favor) | (?:please|por favor)$/g;

const OPT_IN = phrases(`
  start, unstop, subscribe, resubscribe, opt in, optin
  voltar, receber, inscrever, assinar, reativar
  volver, recibir, alta, suscribir, suscribirme, darme de alta, reactivar
  reprendre, abonner, inscrire
  anmelden, abonnieren
  iscrivimi, riprendi
  aanmelden, inschrijven
`);

/** Is the whole message a request to be written to no more? */
export function isOptOut(text: string): boolean {
  const words = wordsOf(text);
  return OPT_OUT.has(words) || ASKED_TO_STOP.has(words.replace(PLEASE, ''));
}

/** Does the whole message take an opt-out back? Only meaningful for somebody who has opted out. */
export function isOptIn(text: string): boolean {
  return OPT_IN.has(wordsOf(text));
}

/** Longer than any phrase above with generous decoration; keeps huge bodies away from the normalizer. */
const LONGEST = 200;

/** `"  ¡Parar, por favor!! "` → `parar por favor`. */
function wordsOf(text: string): string {
  if (text.length > LONGEST) return '';
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, ' ')
    .trim();
}

function phrases(list: string): ReadonlySet<string> {
  return new Set(
    list
      .split(/[,\n]/)
      .map((phrase) => phrase.trim())
      .filter((phrase) => phrase !== ''),
  );
}

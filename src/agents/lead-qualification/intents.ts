/** What customers want besides answering, in English, Portuguese and Spanish; matched on `plain` text in any of the three. */
import { plain } from '../language.ts';

/** "Can I talk to a person?": a verb of talking and somebody to talk to, or such a word as the whole message. */
const PERSON = [
  /\b(?:talk|speak|chat|connect me)(?: to| with)? (?:\w+ ){0,2}(?:person|human|someone|somebody|agent|representative|rep|manager|operator|advisor|salesperson)\b/,
  /\b(?:real|actual) (?:person|human)\b/,
  /\b(?:falar|conversar) com (?:\w+ ){0,2}(?:pessoa|humano|atendente|alguem|vendedora?|gerente|corretora?|consultora?)\b/,
  /\b(?:atendimento humano|pessoa de verdade|um atendente)\b/,
  /\b(?:hablar|chatear|comunicarme) con (?:\w+ ){0,2}(?:persona|humano|alguien|asesora?|agente|vendedora?|representante|gerente|encargad[oa])\b/,
  /\bpersona real\b/,
  /^(?:human|agent|representative|operator|atendente|humano|asesora?|agente)(?: please| por favor)?$/,
];

const ROBOT = [
  /\b(?:are you|is this|am i (?:talking|speaking|chatting) (?:to|with)) (?:an? )?(?:\w+ )?(?:ro)?(?:bot|machine|human|person|ai)\b/,
  /\b(?:voce e|isso e|estou falando com) (?:um |uma )?(?:\w+ )?(?:robo|bot|maquina|humano|pessoa|ia)\b/,
  /\b(?:eres|es usted|estoy hablando con|esto es) (?:un |una )?(?:\w+ )?(?:robot|bot|maquina|humano|persona|ia)\b/,
];

/** Unmistakable, with or without a question mark. */
const PRICE = [
  /\bhow much (?:is|are|does|do|would|will|for)\b|^(?:and )?how much$|\bwhat(?:s| is| are)? (?:the |your )?(?:prices?|costs?|pricing|rates?)\b/,
  /\bquanto (?:e|que )?(?:custa|custam|fica|sai|cobra|cobram|seria|ta|esta|que e)\b|\bquanto e\b|^quanto$|\bqual (?:e |seria )?o (?:preco|valor)\b/,
  /\bcuanto (?:cuesta|cuestan|vale|valen|es|sale|cobran?|seria|sale)\b|^cuanto$|\b(?:que|cual es el) (?:precio|costo|valor)\b/,
];
/** Only in a question: "what does a visit cost?", never "a low-cost flat". */
const ABOUT_PRICE =
  /\b(?:price|prices|pricing|cost|costs|preco|precos|valor|valores|orcamento|precio|precios|costo|costos|presupuesto)\b/;

const DECLINES =
  /^(?:(?:no|nao|sorry|desculpe|perdon|thanks|thank you|obrigad[oa]|gracias|but|mas|pero) )*(?:(?:im |i am |am )?(?:not|no longer) interested(?: any ?more)?|leave me alone|nao tenho (?:mais )?interesse|sem interesse|nao me interessa(?: mais)?|nao quero mais|(?:ya )?no me interesa(?: mas)?|(?:ya )?no estoy interesad[oa]|no tengo interes)(?: (?:thanks|thank you|obrigad[oa]|gracias))*$/;

const COURTESY =
  /^(?:(?:hi|hello|hey|there|good (?:morning|afternoon|evening|day)|ola|oi|e ai|bom dia|boa (?:tarde|noite)|tudo bem|hola|buen[oa]s?|dias|tardes|noches|buen dia|que tal|thanks|thank you|very much|ok|okay|obrigad[oa]|muito|gracias|muchas)(?: |$))+$/;

export function wantsPerson(text: string): boolean {
  return !asksIfRobot(text) && PERSON.some((pattern) => pattern.test(plain(text)));
}

export function asksIfRobot(text: string): boolean {
  return ROBOT.some((pattern) => pattern.test(plain(text)));
}

export function asksPrice(text: string): boolean {
  return PRICE.some((pattern) => pattern.test(plain(text))) || (isQuestion(text) && ABOUT_PRICE.test(plain(text)));
}

export function declines(text: string): boolean {
  return DECLINES.test(plain(text));
}

/** Nothing but a greeting or thanks: answers no question. */
export function isCourtesy(text: string): boolean {
  return COURTESY.test(plain(text));
}

export function isQuestion(text: string): boolean {
  return /[?？]\s*$/.test(text);
}

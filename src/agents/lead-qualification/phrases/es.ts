import type { Phrases } from './phrases.ts';

export const es: Phrases = {
  hello: (business) => `¡Hola! Soy el asistente automático de ${business}.`,
  thanks: '¡Gracias!',
  noPrices: 'No puedo dar precios por aquí: una persona del equipo le responderá sobre eso.',
  passedOn: 'Eso no lo puedo responder yo, así que se lo paso al equipo: una persona le responderá.',
  isRobot: (business) =>
    `Sí, soy un asistente automático de ${business}. Si prefiere hablar con una persona, solo dígamelo.`,
  textOnly: 'Lo siento, solo puedo leer mensajes de texto.',
  clarify: {
    text: '¿Me lo puede decir en pocas palabras?',
    number: 'Perdón, no lo entendí. ¿Puede escribir un solo número?',
    choice: 'Perdón, no lo entendí. Elija una de estas opciones:',
    email: 'Perdón, eso no parece un correo electrónico. ¿Puede escribirlo otra vez?',
    phone: 'Perdón, eso no parece un teléfono. ¿Puede escribirlo otra vez, con código de área?',
    date: 'Perdón, no sé bien qué fecha es. ¿Puede escribirla como 24 de diciembre de 2026?',
    when: 'Perdón, no entendí para cuándo. Basta con un día, una semana o un mes.',
    yesNo: 'Perdón, no lo entendí. ¿Es sí o no?',
  },
  followUps: [
    'Le escribo para saber si sigue ahí.',
    'Sé que puede estar ocupado. Cuando tenga un momento:',
    'No quiero molestar, así que este es mi último recordatorio.',
  ],
  done: '¡Gracias, era todo lo que necesitaba! Pasé sus respuestas al equipo: una persona se comunicará con usted.',
  handedOff: '¡Claro! Le paso con el equipo: una persona le responderá por aquí.',
  goodbye: 'De acuerdo, no escribo más. Si más adelante necesita algo, solo envíe un mensaje.',
  note: {
    person: 'El cliente pide hablar con una persona.',
    done: 'Contacto calificado.',
    gaveUp: 'El cliente dejó de responder.',
    answers: 'Respuestas',
    unclear: 'poco claro, en sus palabras',
    open: 'Sin respuesta',
    asked: 'El cliente preguntó',
  },
};

import type { Phrases } from './phrases.ts';

export const en: Phrases = {
  hello: (business) => `Hello! I'm the automated assistant of ${business}.`,
  thanks: 'Thank you!',
  noPrices: "I can't quote prices myself: a person from the team will get back to you on that.",
  passedOn: "I can't answer that myself, so I'm passing it on to the team: a person will get back to you.",
  isRobot: (business) =>
    `Yes, I'm an automated assistant of ${business}. If you'd rather talk to a person, just say so.`,
  textOnly: "I'm sorry, I can only read text messages.",
  clarify: {
    text: 'Could you tell me in a few words?',
    number: "Sorry, I didn't catch that. Could you write it as one number?",
    choice: "Sorry, I didn't catch that. Please pick one of these:",
    email: "Sorry, that doesn't look like an e-mail address. Could you write it again?",
    phone: "Sorry, that doesn't look like a phone number. Could you write it again, with area code?",
    date: "Sorry, I'm not sure which date you mean. Could you write it like 24 December 2026?",
    when: "Sorry, I didn't catch when that would be. A day, a week or a month will do.",
    yesNo: "Sorry, I didn't catch that. Is that a yes or a no?",
  },
  followUps: [
    'Just checking in: are you still there?',
    'I know you may be busy. Whenever you have a moment:',
    "I don't want to bother you, so this is my last reminder.",
  ],
  done: "Thank you, that's all I need! I've passed your answers on to the team: a person will get back to you.",
  handedOff: "Of course! I'm passing you on to the team: a person will answer you here.",
  goodbye: "All right, I won't write again. If you need anything later, just send a message.",
  note: {
    person: 'The customer asks for a person.',
    done: 'Lead qualified.',
    gaveUp: 'The customer stopped answering.',
    answers: 'Answers',
    unclear: 'unclear, as said',
    open: 'Not answered',
    asked: 'The customer asked',
  },
};

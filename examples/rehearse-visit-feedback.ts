/** Two days of that agent in a moment: `node --import tsx examples/rehearse-visit-feedback.ts`. */
import { pathToFileURL } from 'node:url';
import { rehearse } from 'attache-agents/testing';
import { visitFeedback } from './visit-feedback.ts';

export async function story(): Promise<string[]> {
  const guest = await rehearse(visitFeedback, {
    at: '2026-06-02T20:00:00.000Z',
    contact: { timeZone: 'America/Sao_Paulo' },
    tenantName: 'Hotel Mar',
  });
  const due = guest.run.nextRunAt ?? '';
  await guest.advance('1d');
  await guest.customer.says('Lovely,', 'thank you!');
  return [
    `due      ${due}`,
    ...guest.sent.map(({ at, text }) => `${at.slice(0, 16)} ${text ?? ''}`),
    ...guest.done.map((effect) => (effect.kind === 'note.add' ? `note     ${effect.text}` : effect.kind)),
    `ended    ${guest.run.status} ${guest.run.reason ?? ''}`,
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log((await story()).join('\n'));

/** A process of its own that stores events in the embedded desk, and prints the key of each once it is committed, until it is killed. */
import { openDesk } from '../../src/desk/open-desk.ts';
import { aConversation, accepted, fact, text } from './facts.ts';

const desk = await openDesk({ dataDir: process.argv[2] ?? '' });
const { subject } = aConversation();
for (let n = 0; ; n++) {
  const { event } = accepted(await desk.intake.store(fact(subject, { type: 'message.inbound', data: text(`m${n}`) })));
  process.stdout.write(`${event.key}\n`);
}

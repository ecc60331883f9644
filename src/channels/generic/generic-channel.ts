/** A CRM's own server as a channel: the contract of `contract.ts`, each message named by our reference. */
import type { Channel, ConversationAddress } from '../channel.ts';
import { GENERIC_KEY, type CrmServer } from './config.ts';
import { createCrmClient } from './crm-client.ts';

export function createGenericChannel(
  server: CrmServer,
): Required<Omit<Channel, 'perContact' | 'showTyping' | 'openMedia' | 'pollEvery' | 'recent'>> {
  const crm = createCrmClient(server);
  return {
    kind: 'generic',
    key: GENERIC_KEY,
    hasServiceWindow: server.hasServiceWindow,
    sendsPerSecond: server.sendsPerSecond,
    async send({ to, reference, content, signal }) {
      const request = { type: 'message.send', ...placeOf(to), address: to.address, reference, content } as const;
      const { id } = await crm.ask('send', request, signal);
      return { providerId: id };
    },
    async findSent({ to, reference, signal }) {
      const { id } = await crm.ask('find', { type: 'message.find', ...placeOf(to), reference }, signal);
      return id === null ? { found: 'no' } : { found: 'yes', providerId: id };
    },
    async close(to, signal) {
      await crm.ask('close', { type: 'conversation.close', ...placeOf(to) }, signal);
    },
    async handOff(to, handOff, signal) {
      await crm.ask('handOff', { type: 'conversation.handOff', ...placeOf(to), ...handOff }, signal);
    },
    async addNote(to, note, signal) {
      await crm.ask('note', { type: 'note.add', ...placeOf(to), ...note }, signal);
    },
  };
}

function placeOf({ tenant, conversation }: ConversationAddress) {
  return { tenant, conversation };
}

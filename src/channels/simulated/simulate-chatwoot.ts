/** A Chatwoot account for a person to play with. */
import { startChatwootSimulator } from './chatwoot-server.ts';
import type { ChatwootSimulator, ConversationStatus } from './chatwoot-simulator.ts';
import { GIF } from './pictures.ts';
import { instantOf, type SimulateOptions, type Stage, type StageCommand } from './stage.ts';

const PHOTO = { bytes: GIF, mimeType: 'image/gif', type: 'image' };

const ACCOUNT = { accountId: 1, apiToken: 'simulated-token', webhookSecret: 'simulated-secret', agentBot: true };

export async function chatwootStage(options: SimulateOptions, show: (line: string) => void): Promise<Stage> {
  const { url, tenant, port, noise, latencyMs } = options;
  const conversation = Number(options.from ?? '1');
  if (!Number.isSafeInteger(conversation) || conversation < 1)
    throw new Error(`--from is the number of a conversation, such as 1, and not "${options.from ?? ''}"`);
  const simulator = await startChatwootSimulator({
    ...ACCOUNT,
    port,
    webhookUrl: `${url}/webhooks/chatwoot/${tenant}`,
    teams: ['Sales', 'Support'],
    ...(noise !== undefined && { noise }),
    ...(latencyMs !== undefined && { latencyMs }),
    onMessage: (message) => {
      // What people and robots write there was typed here.
      if (message.sender?.['type'] === 'agent_bot')
        show(`→ ${message.conversation}  ${message.private ? '(note) ' : ''}${message.content}`);
    },
  });
  simulator.setClock(options.clock);
  return {
    channel: { kind: 'chatwoot', url: simulator.url, ...ACCOUNT },
    where: `in conversation ${conversation}`,
    say: async (text) => simulator.customerSays(conversation, text),
    commands: commandsOf(simulator, conversation),
    close: () => simulator.close(),
  };
}

function commandsOf(simulator: ChatwootSimulator, conversation: number): Readonly<Record<string, StageCommand>> {
  const status = (to: ConversationStatus, does: string): StageCommand => ({
    does,
    run: async () => simulator.setStatus(conversation, to),
  });
  return {
    human: {
      takes: '<text>',
      does: 'a person answers in the inbox: a takeover',
      run: async (text) => simulator.humanReplies(conversation, text),
    },
    phone: {
      takes: '<text>',
      does: 'a person answers on the phone, which names no sender',
      run: async (text) => simulator.humanReplies(conversation, text, { fromPhone: true }),
    },
    note: {
      takes: '<text>',
      does: 'a private note of a person: no takeover',
      run: async (text) => simulator.humanReplies(conversation, text, { private: true }),
    },
    photo: {
      takes: '[how many]',
      does: 'the customer sends pictures, all in one message',
      run(argument) {
        if (!/^([1-9]|1[0-5])?$/.test(argument)) throw new Error('/photo takes how many, 1 to 15');
        return simulator.customerSays(
          conversation,
          '',
          ...Array.from({ length: Number(argument || '1') }, () => PHOTO),
        );
      },
    },
    late: {
      does: 'a message is told empty, and its picture comes a moment later',
      async run() {
        const { id } = await simulator.customerSays(conversation, '');
        await simulator.attach(id, PHOTO);
      },
    },
    campaign: {
      takes: '<text>',
      does: 'a campaign goes out under a person’s name: no takeover',
      run: async (text) => simulator.campaignSays(conversation, text),
    },
    robot: {
      takes: '<text>',
      does: 'a greeting or survey of Chatwoot’s own',
      run: async (text) => simulator.robotSays(conversation, text),
    },
    assign: { does: 'a person is put in charge', run: async () => simulator.assign(conversation, 'Rui') },
    unassign: { does: 'nobody is any more', run: async () => simulator.assign(conversation, null) },
    pending: status('pending', 'given to the bot'),
    open: status('open', 'given to people'),
    resolve: status('resolved', 'closed'),
    lose: {
      takes: 'on | off',
      does: 'webhooks are lost, as when Attaché is away: the poll finds them',
      run: (how) => simulator.loseWebhooks(how !== 'off'),
    },
    refuse: {
      takes: '<status>',
      does: 'the next write is refused with this HTTP status',
      run(argument) {
        if (!/^[45]\d\d$/.test(argument)) throw new Error('/refuse takes an HTTP status, such as 500');
        simulator.failNext({ kind: 'refuse', status: Number(argument) });
      },
    },
    cut: {
      does: 'the next write is taken, and the answer lost',
      run: () => simulator.failNext({ kind: 'cut', taken: true }),
    },
    clock: {
      takes: '[instant]',
      does: 'set the clock, or let it go on',
      run: (at) => simulator.setClock(instantOf(at)),
    },
  };
}

/** A WhatsApp number for a person to play with. */
import { startWhatsAppSimulator } from './graph-server.ts';
import { GIF } from './pictures.ts';
import { instantOf, type SimulateOptions, type Stage, type StageCommand } from './stage.ts';
import type { SentMessage, WhatsAppSimulator } from './whatsapp-simulator.ts';

const NUMBER = '100200300';
const SECRETS = { accessToken: 'simulated-token', appSecret: 'simulated-secret', verifyToken: 'simulated-verify' };
const CUSTOMER = '5531980000001';

export async function whatsAppStage(options: SimulateOptions, show: (line: string) => void): Promise<Stage> {
  const { url, tenant, port, noise, latencyMs, window: serviceWindow = false } = options;
  const customer = options.from ?? CUSTOMER;
  const simulator = await startWhatsAppSimulator({
    ...{ port, phoneNumberId: NUMBER, appSecret: SECRETS.appSecret, accessToken: SECRETS.accessToken, serviceWindow },
    webhookUrl: `${url}/webhooks/whatsapp/${tenant}`,
    // What has arrived fails no more: how far a message came is said by `/delivered`, `/read` or `/failed`.
    statuses: ['sent'],
    ...(noise !== undefined && { noise }),
    ...(latencyMs !== undefined && { latencyMs }),
    onAccepted: ({ to, text, template }) => show(`→ ${to}  ${text ?? `(template ${template ?? '?'})`}`),
  });
  simulator.setClock(options.clock);
  return {
    channel: { kind: 'whatsapp', phoneNumberId: NUMBER, ...SECRETS, apiUrl: simulator.url },
    where: `from ${customer}`,
    // Not waited for: an Attaché that is not there yet gets it as Meta would bring it, later.
    say: async (text) => void simulator.customerSays(customer, text),
    commands: commandsOf(simulator, customer),
    close: () => simulator.close(),
  };
}

function commandsOf(simulator: WhatsAppSimulator, customer: string): Readonly<Record<string, StageCommand>> {
  const last = (): SentMessage => {
    const sent = simulator.received.at(-1);
    if (sent === undefined) throw new Error('nothing was sent yet');
    return sent;
  };
  return {
    human: {
      takes: '<text>',
      does: 'somebody of the business answers on the phone: a takeover',
      run: (text) => void simulator.humanEchoes(customer, text),
    },
    photo: {
      takes: '[caption]',
      does: 'the customer sends a picture',
      run: (caption) =>
        void simulator.customerSays(customer, simulator.files.add({ bytes: GIF, mimeType: 'image/gif', caption })),
    },
    marketing: {
      takes: 'stop|resume',
      does: 'the customer stops or resumes marketing messages',
      run(value) {
        if (value !== 'stop' && value !== 'resume') throw new Error('/marketing takes stop or resume');
        return simulator.prefers(customer, value);
      },
    },
    delivered: { does: 'the last message arrives', run: async () => simulator.reports(last(), 'delivered') },
    read: { does: 'the customer reads the last message', run: async () => simulator.reports(last(), 'read') },
    failed: {
      takes: '[code]',
      does: 'the last message, sent and not delivered yet, could not be (131026; 131000: sent again in a minute)',
      run: async (code) => simulator.reports(last(), 'failed', Number(code || '131026')),
    },
    refuse: {
      takes: '<code> [times]',
      does: 'the next sends are refused with Meta’s code, such as 131047',
      run(argument) {
        const [code, times = '1'] = argument.split(/\s+/);
        if (!/^\d+$/.test(code ?? '')) throw new Error('/refuse takes one of Meta’s codes, such as 131047');
        simulator.failNext({ kind: 'refuse', status: code === '190' ? 401 : 400, code: Number(code) }, Number(times));
      },
    },
    lose: {
      does: 'the next message is taken, and the answer lost',
      run: () => simulator.failNext({ kind: 'cut', accepted: true }),
    },
    hold: { does: 'keep webhooks back', run: () => simulator.hold() },
    release: {
      takes: '[reversed]',
      does: 'let them go, in order or reversed',
      run: async (how) => simulator.release({ order: how === 'reversed' ? 'reversed' : 'given' }),
    },
    clock: {
      takes: '[instant]',
      does: 'set the clock, or let it go on',
      run: (at) => simulator.setClock(instantOf(at)),
    },
  };
}

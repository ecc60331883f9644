/** Every workflow type; the bundle's entry. */
export { agentRun } from './agent-run.ts';
export { webhookDelivery } from './webhook-delivery.ts';
export { fanOut } from './fan-out.ts';
export { investigation } from './investigation.ts';
export { channelPoll } from './channel-poll.ts';

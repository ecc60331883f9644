/** An investigator's steps and its proposal, as the workflow would ask for them, without one. */
import type { Agent } from '../../src/agents/define-agent.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { Evidence, ProposalDraft } from '../../src/domain/schemas/investigations.ts';
import type { ErpReads } from '../../src/erp/erp.ts';

export interface Investigated {
  /** What is proposed; a text: why nothing is. */
  readonly proposal: ProposalDraft | string;
  readonly evidence: readonly Evidence[];
}

export async function investigated(
  agent: Agent,
  { erp, trigger, now, config = {} }: { erp: ErpReads; trigger: JsonObject; now: string; config?: object },
): Promise<Investigated> {
  const { investigator } = agent;
  if (investigator === null) throw new Error(`${agent.key} does not investigate`);
  const material = {
    config: investigator.config.parse(config) as JsonObject,
    trigger: investigator.trigger.parse(trigger) as JsonObject,
  };
  const tenant = { id: 'acme', name: 'Acme', timeZone: 'UTC' };
  const facts: Record<string, unknown> = {};
  const evidence: Evidence[] = [];
  for (const [name, step] of Object.entries(investigator.steps)) {
    const found = await step({ ...material, tenant, erp, now, signal: new AbortController().signal });
    facts[name] = found.facts;
    evidence.push(...found.evidence);
  }
  // They travel as JSON.
  const wire = JSON.parse(JSON.stringify(facts)) as JsonObject;
  const proposed = investigator.propose({ ...material, facts: wire, now });
  const proposal = 'dismiss' in proposed ? proposed.dismiss : ProposalDraft.parse(proposed);
  return { proposal, evidence: Evidence.array().parse(evidence) };
}

/** Opens an investigation, or tells the live one of its name that its trigger was seen again. */
import { investigationWorkflowId } from '../../domain/ids.ts';
import { resolveInvestigationPolicy } from '../../domain/schemas/investigations.ts';
import { signatureId } from '../investigations/signature.ts';
import type { EffectKindPerformer } from './performer.ts';

export const investigationOpen: EffectKindPerformer = {
  async before({ deps, input }) {
    const isAble = deps.agents.get(input.run.agent)?.investigator != null;
    return isAble ? null : { result: 'failed', reason: 'no_investigator' };
  },

  async call({ deps, input }) {
    const { effect, run, key, policy } = input;
    if (effect.kind !== 'investigation.open') return null;
    const { tenant, agent, subject, slot, attachment } = run;
    const { signature, summary, trigger } = effect;
    const workflowId = investigationWorkflowId({ tenant, agent, signature: signatureId(signature) });
    await deps.occurred({
      workflowId,
      input: {
        v: 1,
        ...{ tenant, agent, signature, summary, trigger },
        policy: resolveInvestigationPolicy(policy.investigation),
        openedBy: { subject, slot, id: attachment },
      },
      occurred: { effectKey: key },
    });
    return { providerId: workflowId };
  },

  /** A live one counts a key once; one that has counted it and ended must not be followed by another for the same. */
  async lookUp({ deps, input }) {
    const workflowId = await deps.desk.investigations.countedBy(input.run.tenant, input.key);
    return workflowId === null ? 'repeatable' : { made: true, providerId: workflowId };
  },
};

/** The page behind a signed link, in plain HTML: it works in any mail reader's browser, without scripts. */
import { decisionWords } from '../domain/investigation-rules.ts';
import { shownMoney } from '../domain/money.ts';
import { changeWords, evidenceWords, termsOf } from '../domain/proposal-words.ts';
import type { Action, Investigation, Proposal } from '../domain/schemas/investigations.ts';
import type { DecisionLink } from './decision-links.ts';
import { escaped } from './pages.ts';

export function decisionPage(
  { proposal, status, decisions }: Investigation,
  { person, proposalHash }: DecisionLink,
): string {
  if (proposal === null || status !== 'proposed') {
    const last = decisions.findLast(({ valid }) => valid);
    const who = last === undefined ? '' : ` ${decisionWords(last)}.`;
    return wordsPage(`There is nothing to decide any more: it is ${status}.${who}`);
  }
  if (proposal.hash !== proposalHash)
    return wordsPage(
      'The proposal has changed since this link was sent. A newer message has a link to the current one.',
    );
  const facts = proposal.evidence.map((each) => [each.label, evidenceWords(each), `${each.source}, ${each.asOf}`]);
  return whole(`
<h1>${escaped(proposal.summary)}</h1>
${changes(proposal)}<p>Risk: ${proposal.risk}. Cost: ${proposal.cost === null ? 'none' : escaped(shownMoney(proposal.cost))}. ${
    proposal.approvals === 2 ? 'Two people have to agree. ' : ''
  }Until ${proposal.expiresAt}.</p>
<h2>What will be done</h2>
<ol>${proposal.actions.map((action) => `<li>${escaped(titleOf(action))}${rows(termsOf(action))}</li>`).join('')}</ol>
<h2>Why</h2>
${rows(facts)}
<p>${escaped(proposal.method)}</p>
<form method="post">
<p><label>Reason (may be left out)<br><input name="reason" maxlength="1000"></label></p>
<p>You decide as <b>${escaped(person)}</b>.</p>
<button name="decision" value="approve">Approve</button> <button name="decision" value="reject">Reject</button>
</form>`);
}

export function wordsPage(words: string): string {
  return whole(`<p>${escaped(words)}</p>`);
}

function titleOf({ title, kind, cost }: Action): string {
  return `${title} (${kind}${cost === undefined ? '' : `, ${shownMoney(cost)}`})`;
}

function changes({ changed }: Proposal): string {
  if (changed.length === 0) return '';
  const lines = changed.map((each) => `<li>${escaped(changeWords(each))}</li>`).join('');
  return `<p>The proposal before this one went stale. What has changed:</p><ul>${lines}</ul>`;
}

function rows(lines: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) => `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`;
  return `<table>${lines.map(row).join('')}</table>`;
}

function whole(body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Attaché: a decision</title><style>body{font:16px/1.5 system-ui;max-width:42rem;margin:2rem auto;padding:0 1rem}
td{padding:.2rem .8rem .2rem 0;vertical-align:top}button{font:inherit;padding:.5rem 1.5rem}</style></head><body>${body}</body></html>`;
}

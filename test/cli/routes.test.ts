import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testApi } from '../support/api.ts';
import { attache } from '../support/cli.ts';

const RUN = 'demo/conversation/1/answering';
const WATCHER = 'demo/business/watcher';

/** For each route, a command that asks it. */
const COMMANDS: Readonly<Record<string, string>> = {
  'GET /keys': 'keys',
  'POST /keys': 'keys create crm --role viewer',
  'POST /keys/{key}/rotate': 'keys rotate k1',
  'POST /keys/{key}/revoke': 'keys revoke k1',
  'GET /audit': 'audit',
  'POST /runs': 'attach qualifier conversation/1',
  'GET /runs': 'runs',
  'GET /runs/conversation/{conversation}/{slot}': `show ${RUN}`,
  'GET /runs/conversation/{conversation}/{slot}/timeline': `show ${RUN} --timeline`,
  'POST /runs/conversation/{conversation}/{slot}/detach': `detach ${RUN}`,
  'POST /runs/conversation/{conversation}/{slot}/takeover': `takeover ${RUN}`,
  'POST /runs/conversation/{conversation}/{slot}/handback': `handback ${RUN}`,
  'POST /runs/conversation/{conversation}/{slot}/pause': `pause ${RUN}`,
  'POST /runs/conversation/{conversation}/{slot}/resume': `resume ${RUN}`,
  'POST /runs/conversation/{conversation}/{slot}/snooze': `snooze ${RUN} --for 2h`,
  'POST /runs/conversation/{conversation}/{slot}/wake': `wake ${RUN}`,
  'GET /runs/business/{slot}': `show ${WATCHER}`,
  'GET /runs/business/{slot}/timeline': `show ${WATCHER} --timeline`,
  'POST /runs/business/{slot}/detach': `detach ${WATCHER}`,
  'POST /runs/business/{slot}/takeover': `takeover ${WATCHER}`,
  'POST /runs/business/{slot}/handback': `handback ${WATCHER}`,
  'POST /runs/business/{slot}/pause': `pause ${WATCHER}`,
  'POST /runs/business/{slot}/resume': `resume ${WATCHER}`,
  'POST /runs/business/{slot}/snooze': `snooze ${WATCHER} --for 2h`,
  'POST /runs/business/{slot}/wake': `wake ${WATCHER}`,
  'POST /events': 'events tell {}',
  'GET /events': 'events',
  'GET /events/{event}': 'events show e1',
  'POST /events/{event}/redeliver': 'events redeliver e1',
  'POST /events/{event}/drop': 'events drop e1',
  'GET /channels': 'channels',
  'GET /conversations': 'conversations',
  'GET /conversations/{conversation}': 'conversations show 1',
  'GET /conversations/{conversation}/messages': 'conversations messages 1',
  'GET /stats': 'stats',
  'GET /switches': 'switches',
  'PUT /switches/{scope}/{key}': 'switches off agent/qualifier',
  'DELETE /switches/{scope}/{key}': 'switches on agent/qualifier',
  'GET /deliveries': 'deliveries',
  'GET /deliveries/{delivery}': 'deliveries show d1',
  'POST /deliveries/{delivery}/redeliver': 'deliveries redeliver d1',
  'GET /webhook-endpoints': 'deliveries endpoints',
  'PUT /webhook-endpoints/{endpoint}': 'deliveries switch-off crm',
  'POST /bulk': 'bulk pause --all --dry-run',
  'GET /bulk': 'bulk',
  'GET /bulk/{bulk}': 'bulk show b1',
  'GET /bulk/{bulk}/receipt': 'bulk receipt b1',
  'POST /bulk/{bulk}/cancel': 'bulk cancel b1',
  'GET /topics': 'topics',
  'GET /investigations': 'investigations',
  'GET /investigations/{investigation}': 'investigations show i1',
  'POST /investigations/{investigation}/approve': 'approve i1',
  'POST /investigations/{investigation}/reject': 'reject i1',
  'POST /investigations/{investigation}/answer': 'investigations answer i1 s1 {}',
  'GET /outcomes': 'outcomes',
  'GET /calendar': 'calendar',
  'GET /agents': 'agents',
  'POST /embed-tokens': 'conversations embed 1',
};

/** What no command asks, and why. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'POST /v1/session': 'for browsers: a command brings its key',
  'GET /v1/session': 'attache doctor asks it',
  'GET /healthz': 'attache doctor asks it',
  'DELETE /v1/session': 'for browsers',
  'GET /runs/counts': 'attache stats counts',
  'GET /switches/{scope}/{key}': 'attache switches lists them',
  'GET /webhook-endpoints/{endpoint}': 'attache deliveries endpoints lists them',
  'GET /conversations/{conversation}/messages/{message}/media': 'a file, not for a terminal',
  'GET /stream': '--watch asks again',
};

const A_RUN = { tenant: 'demo', subject: 'business', slot: 'watcher', nextRunSteps: [], pendingEffects: [] };

describe('the commands', () => {
  it('reach every route of the API, but those that are named as none of theirs', async () => {
    const document = (await (await testApi().ask('/openapi.json')).json()) as {
      readonly paths: Readonly<Record<string, object>>;
    };
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace('/v1/tenants/{tenant}', '')}`),
    );
    assert.deepEqual([...Object.keys(COMMANDS), ...Object.keys(OTHERWISE)].sort(), routes.sort());
  });

  it('ask the routes that they are for', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method ?? ''} ${(request.url ?? '').split('?')[0] ?? ''}`);
      // A timeline is asked for when its run is known; all else may be refused at once.
      const isRun = /\/(?:answering|watcher)$/.test(request.url ?? '');
      response.writeHead(isRun ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isRun ? A_RUN : { title: 'not here', status: 404, detail: '' }));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const unasked: string[] = [];
    for (const [route, command] of Object.entries(COMMANDS)) {
      asked.length = 0;
      const { err } = await attache(command.split(' '), { url });
      const pattern = new RegExp(`^${route.replace(' /', ' /v1/tenants/demo/').replace(/\{\w+\}/g, '[^/]+')}$`);
      if (!asked.some((one) => pattern.test(one))) unasked.push(`${command}: ${asked.join(', ')} ${err}`);
    }
    server.close();
    assert.deepEqual(unasked, []);
  });
});

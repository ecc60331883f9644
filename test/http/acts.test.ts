import assert from 'node:assert/strict';
import { testApi, type TestApi } from '../support/api.ts';

const REF = { tenant: 'demo', subject: 'conversation/42', slot: 'answering' };
const RUN = '/runs/conversation/42/answering';

async function attached(): Promise<TestApi & { id: string }> {
  const api = testApi();
  const { body } = await api.send('POST', '/runs', { agent: 'qualifier', subject: 'conversation/42' });
  return { ...api, id: String(body['id']) };
}
const stops = [
  ['detach', 'REMOVED_BY_USER', 'detached'],
  ['takeover', 'EXITED_ON_OUTBOUND', 'taken_over'],
] as const;

for (const [act, status, reason] of stops) {
  describe(act, () => {
    it('answers the ended run, stored before the run is told', async () => {
      const api = await attached();
      const answer = await api.send('POST', `${RUN}/${act}`, { by: 'ana', reason: 'mine' });
      assert.equal(answer.status, 200);
      assert.deepEqual(
        [answer.body['status'], answer.body['reason'], answer.body['actor'], answer.body['nextRunAt']],
        [status, reason, 'local/ana', null],
      );
      assert.deepEqual(api.desk.acts.map((one) => [one.act, one.attachment]).at(-1), [act, api.id]);
      assert.equal(api.runs.signals.length, 1);
    });

    it('needs no body', async () => {
      const api = await attached();
      assert.equal((await api.send('POST', `${RUN}/${act}`)).status, 200);
    });

    it('twice is as once', async () => {
      const api = await attached();
      const first = await api.send('POST', `${RUN}/${act}`, { by: 'ana' });
      const second = await api.send('POST', `${RUN}/${act}`, { by: 'bea' });
      assert.deepEqual([second.status, second.body], [200, first.body]);
      assert.equal(api.desk.acts.filter((one) => one.act === act).length, 1);
    });

    it('on a run that had ended answers how, and overwrites nothing', async () => {
      const api = await attached();
      api.runs.end(REF, { status: 'COMPLETED', reason: 'goal_reached' });
      const answer = await api.send('POST', `${RUN}/${act}`, { by: 'ana' });
      assert.deepEqual(
        [answer.status, answer.body['status'], answer.body['reason']],
        [200, 'COMPLETED', 'goal_reached'],
      );
      assert.equal(api.desk.acts.filter((one) => one.act === act && one.attachment !== null).length, 0);
    });

    it('on an unknown run is 404, meant for another attachment 409', async () => {
      const api = await attached();
      assert.equal((await api.send('POST', `/runs/conversation/43/answering/${act}`)).status, 404);
      const other = await api.send('POST', `${RUN}/${act}`, { id: 'somebody-else' });
      assert.deepEqual([other.status, other.body.code], [409, 'attachment_mismatch']);
      assert.equal((await api.send('POST', `${RUN}/${act}`, { id: api.id })).status, 200);
    });

    it('is accepted though no worker answers: 202, pending', async () => {
      const api = await attached();
      api.runs.weather = 'no_worker';
      const answer = await api.send('POST', `${RUN}/${act}`);
      assert.deepEqual([answer.status, answer.body['pending'], answer.body['id']], [202, true, api.id]);
      assert.deepEqual([api.runs.signals.length, api.runs.asked], [1, 1], 'waited for once, and not asked again');
    });

    it('is accepted though Temporal is away, since the desk has it', async () => {
      const api = await attached();
      api.runs.weather = 'unreachable';
      const answer = await api.send('POST', `${RUN}/${act}`);
      assert.deepEqual([answer.status, answer.body['pending']], [202, true]);
      assert.equal(api.desk.acts.at(-1)?.act, act);
    });

    it('is kept though Temporal is away and the desk knows of no run: one may be there', async () => {
      const api = testApi();
      api.runs.weather = 'unreachable';
      for (const id of [undefined, 'only-temporal-knows']) {
        const answer = await api.send('POST', `${RUN}/${act}`, { by: 'ana', ...(id !== undefined && { id }) });
        assert.deepEqual([answer.status, answer.body.code], [503, 'temporal_unreachable']);
        assert.match(String(answer.body['detail']), /^accepted and stored/);
        const { act: kept, attachment, actor } = api.desk.acts.at(-1) ?? {};
        assert.deepEqual([kept, attachment, actor], [act, id ?? null, 'local/ana']);
      }
    });

    it('is kept beside the answer how the last run ended, while Temporal cannot tell of a later one', async () => {
      const api = await attached();
      const [record] = api.desk.runs;
      assert.ok(record);
      const endedAt = new Date().toISOString();
      api.desk.runs.push({ ...record, id: 'ended', status: 'COMPLETED', reason: 'gave_up', phase: null, endedAt });
      api.runs.weather = 'unreachable';
      const answer = await api.send('POST', `${RUN}/${act}`);
      assert.deepEqual([answer.status, answer.body['status']], [200, 'COMPLETED']);
      assert.deepEqual(api.desk.acts.map((one) => [one.act, one.attachment]).at(-1), [act, null]);
      const other = await api.send('POST', `${RUN}/${act}`, { id: api.id });
      assert.deepEqual([other.status, other.body.code], [409, 'attachment_mismatch']);
    });

    it('is not told to the run when the desk cannot store it', async () => {
      const api = await attached();
      api.desk.outage = Object.assign(new Error('gone'), { code: '57P01' });
      const answer = await api.send('POST', `${RUN}/${act}`);
      assert.deepEqual([answer.status, answer.body.code, api.runs.signals.length], [503, 'database_unreachable', 0]);
    });
  });
}

describe('a takeover', () => {
  it('is told to every run on the conversation before anything that could fail', async () => {
    const api = await attached();
    api.desk.acts.push = () => {
      throw Object.assign(new Error('gone'), { code: '57P01' });
    };
    const { status } = await api.send('POST', `${RUN}/takeover`, { by: 'ana', reason: 'mine' });
    assert.deepEqual([status, api.runs.signals.length], [503, 0]);
    const { subject, data } = api.accepted.at(-1)?.event ?? {};
    assert.deepEqual([subject, data], [REF.subject, { by: 'local/ana', reason: 'mine' }]);
  });
});

describe('acts that ask the run', () => {
  const asks: [string, object][] = [
    ['pause', {}],
    ['resume', {}],
    ['snooze', { for: '2h' }],
    ['wake', {}],
  ];
  for (const [act, body] of asks) {
    it(`${act} answers the run as it now is, and how it ended once it has`, async () => {
      const api = await attached();
      const answer = await api.send('POST', `${RUN}/${act}`, body);
      assert.deepEqual([answer.status, answer.body['status']], [200, 'IN_PROGRESS']);
      api.runs.end(REF, { status: 'COMPLETED', reason: 'goal_reached' });
      const after = await api.send('POST', `${RUN}/${act}`, body);
      assert.deepEqual([after.status, after.body['status']], [200, 'COMPLETED']);
    });

    it(`${act} without a worker is 503 with Retry-After, and records nothing`, async () => {
      const api = await attached();
      api.runs.weather = 'no_worker';
      const answer = await api.send('POST', `${RUN}/${act}`, body);
      assert.deepEqual([answer.status, answer.body.code], [503, 'no_worker']);
      assert.equal(answer.headers.get('retry-after'), '5');
      assert.equal(api.desk.acts.filter((one) => one.act !== 'attach').length, 0);
    });

    it(`${act} on an unknown run is 404, for another attachment 409`, async () => {
      const api = await attached();
      assert.equal((await api.send('POST', `/runs/business/watcher/${act}`, body)).status, 404);
      assert.equal((await api.send('POST', `${RUN}/${act}`, { ...body, id: 'somebody-else' })).status, 409);
    });
  }

  it('snooze takes exactly one of until and for, ahead of now and within 400 days', async () => {
    const api = await attached();
    for (const [body, path] of [
      [{}, 'until'],
      [{ until: '2040-01-01T00:00:00Z', for: '1h' }, 'until'],
      [{ until: '2001-01-01T00:00:00Z' }, 'until'],
      [{ for: '401d' }, 'for'],
      [{ for: 'long' }, 'for'],
    ] as const) {
      const { status, body: answer } = await api.send('POST', `${RUN}/snooze`, body);
      assert.deepEqual([status, answer.errors.map((error) => error.path)], [422, [path]], JSON.stringify(body));
    }
  });

  it('remembers how a run ended that Temporal has forgotten', async () => {
    const api = await attached();
    const record = api.desk.runs[0];
    assert.ok(record);
    api.desk.runs[0] = {
      ...record,
      status: 'COMPLETED',
      reason: 'gave_up',
      phase: null,
      endedAt: new Date().toISOString(),
      nextRunAt: null,
    };
    api.runs.forget(REF);
    for (const act of ['detach', 'pause']) {
      const answer = await api.send('POST', `${RUN}/${act}`);
      assert.deepEqual([answer.status, answer.body['reason']], [200, 'gave_up']);
    }
  });
});

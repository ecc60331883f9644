import assert from 'node:assert/strict';
import { allOver } from '../../src/domain/all-over.ts';

describe('what is done side by side', () => {
  it('is over only when each is, and fails as the first that failed', async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const over: string[] = [];
    const failing = allOver([Promise.reject(new Error('at once')), opened.then(() => over.push('late'))]);
    const told = assert.rejects(failing, /at once/).then(() => over.push('told'));
    await new Promise((resolve) => setImmediate(resolve));
    open();
    await told;
    assert.deepEqual(over, ['late', 'told']);
  });

  it('is told in its order', async () => {
    assert.deepEqual(await allOver([Promise.resolve(1), Promise.resolve(2)]), [1, 2]);
  });
});

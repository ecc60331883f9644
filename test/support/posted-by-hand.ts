/** A webhook as somebody posts it from a shell: signed by openssl, sent by curl, with no code of ours between. */
import { spawn, spawnSync } from 'node:child_process';

/** Says which program this machine lacks for it. */
export function cannotPostByHand(): boolean {
  const needed = { openssl: 'version', curl: '--version' };
  const [missing] =
    Object.entries(needed).find(([program, ask]) => spawnSync(program, [ask]).error !== undefined) ?? [];
  if (missing !== undefined) process.stdout.write(`    not run: needs ${missing}\n`);
  return missing !== undefined;
}

/** @returns the HTTP status. */
export async function postByHand({
  url,
  secret,
  body,
}: {
  url: string;
  secret: string;
  body: string;
}): Promise<number> {
  const signed = await run('openssl', ['dgst', '-sha256', '-hmac', secret, '-r'], body);
  const [signature = ''] = signed.split(' ');
  const headers = ['Content-Type: application/json', `X-Hub-Signature-256: sha256=${signature}`];
  const args = ['--silent', '--max-time', '20', '--output', '/dev/null', '--write-out', '%{http_code}'];
  return Number(
    await run(
      'curl',
      [...args, ...headers.flatMap((header) => ['--header', header]), '--data-binary', '@-', url],
      body,
    ),
  );
}

async function run(program: string, args: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (data: Buffer) => (out += data.toString()));
    child.on('error', reject).on('close', (code) => {
      if (code === 0) resolve(out);
      else reject(new Error(`${program} ended with ${code}`));
    });
    child.stdin.end(input);
  });
}

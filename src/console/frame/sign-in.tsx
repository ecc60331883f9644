/** A key is needed. Nothing else is said before: not which tenants there are, not what runs here. */
import { useState } from 'react';
import { Refused } from '../api/ask.ts';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useSay } from '../words/words.ts';

export function SignIn({ signIn }: { readonly signIn: (secret: string, person: string) => Promise<void> }) {
  const say = useSay();
  const [secret, setSecret] = useState('');
  const [person, setPerson] = useState('');
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await signIn(secret.trim(), person.trim());
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  };
  const wrong = error instanceof Refused && error.problem.status === 401;
  return (
    <main className="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h1>{say('signIn.title')}</h1>
        <label>
          {say('signIn.person')}
          <input
            name="person"
            autoComplete="username"
            value={person}
            onChange={({ target }) => setPerson(target.value)}
            required
          />
        </label>
        <label>
          {say('signIn.key')}
          <input
            name="key"
            type="password"
            autoComplete="current-password"
            value={secret}
            onChange={({ target }) => setSecret(target.value)}
            aria-describedby="sign-in-hint"
            aria-invalid={wrong}
            required
          />
        </label>
        <p id="sign-in-hint" className="quiet">
          {say('signIn.hint')}
        </p>
        {wrong && (
          <p className="note" data-tone="trouble" role="alert">
            {say('signIn.wrong')}
          </p>
        )}
        {error !== undefined && !wrong && <ProblemNote error={error} />}
        <button type="submit" className="main" disabled={busy}>
          {say('signIn.act')}
        </button>
      </form>
    </main>
  );
}

/** Who one is here, and how one likes it: colours, language, keys. */
import { useConnection } from '../api/context.ts';
import { Menu } from '../parts/menu.tsx';
import { setTheme, theme, THEMES } from '../theme.ts';
import { LANGUAGES, LANGUAGE_NAMES, setLanguage, useSay } from '../words/words.ts';
import { useRemembered } from '../use-remembered.ts';

export function You({ signOut, showKeys }: { readonly signOut: () => Promise<void>; readonly showKeys: () => void }) {
  const say = useSay();
  const { session } = useConnection();
  useRemembered('theme');
  return (
    <Menu label={session.person ?? session.key} closesOnClick={false}>
      <Choice
        name="theme"
        title={say('frame.theme')}
        values={THEMES}
        chosen={theme()}
        label={(one) => say(`frame.theme.${one}`)}
        choose={setTheme}
      />
      <Choice
        name="language"
        title={say('frame.language')}
        values={LANGUAGES}
        chosen={say.language}
        label={(one) => LANGUAGE_NAMES[one]}
        choose={setLanguage}
      />
      <button type="button" onClick={showKeys}>
        {say('frame.keys')} <kbd>?</kbd>
      </button>
      {session.signInNeeded && (
        <button type="button" onClick={() => void signOut()}>
          {say('frame.signOut')}
        </button>
      )}
    </Menu>
  );
}

function Choice<Value extends string>(of: {
  readonly name: string;
  readonly title: string;
  readonly values: readonly Value[];
  readonly chosen: Value;
  readonly label: (value: Value) => string;
  readonly choose: (value: Value) => void;
}) {
  return (
    <fieldset>
      <legend>{of.title}</legend>
      {of.values.map((value) => (
        <label key={value}>
          <input type="radio" name={of.name} checked={value === of.chosen} onChange={() => of.choose(value)} />
          {of.label(value)}
        </label>
      ))}
    </fieldset>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { settingsQueryOptions } from '../../api/settings/settings-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { paths } from '../../lib/paths.ts';
import classes from './Playground.module.css';

/** The variables of the environment that a request can refer to, those that it names and that are missing first. */
export function VariableList({ used }: { used: readonly string[] }) {
  const env = useEnv();
  const { data } = useQuery(settingsQueryOptions(env));
  if (!data) return null;
  const known = new Set(data.variables.map(({ name }) => name));
  const missing = used.filter((name) => !known.has(name));
  return (
    <>
      <p className="soft note pt-12 pb-12">
        {
          'Write {{NAME}} in the path, a parameter, a header or the body. Homeport fills the value in when it sends the request; secret values are not shown. '
        }
        <Link to={paths.settings(env, 'variables')}>Variables of {env}</Link>
      </p>
      {missing.length > 0 && (
        <p role="alert" className="bad small">
          {`There is no variable ${missing.join(', ')}. Add it in the settings, or write \\{{…}} for braces that are sent as they are.`}
        </p>
      )}
      {data.variables.length === 0 ? (
        <p className="faint">This environment has no variables yet.</p>
      ) : (
        <ul className={`scroll ${classes['variables']}`} style={{ maxHeight: 240 }} aria-label="Variables">
          {data.variables.map(({ name, is_plain, value }) => (
            <li className="grid gap-8 line-above middle" key={name} data-used={used.includes(name) || undefined}>
              <code className="cut">{`{{${name}}}`}</code>
              <span className="cut soft">{is_plain ? value : 'secret'}</span>
              <CopyButton value={`{{${name}}}`} label={`Copy {{${name}}}`} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

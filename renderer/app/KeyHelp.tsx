import { Kbd, Switch } from '@mantine/core';
import { Fragment } from 'react';
import { Link, useLocation } from 'react-router';
import { OpenModal } from '../components/notice/OpenModal.tsx';
import { useCommandList, useSingleKeys } from '../components/use-commands.ts';
import { commandRegistry } from '../lib/command-registry.ts';
import type { KeyMeaning } from '../lib/key-map.ts';
import { keyNames } from '../lib/key-names.ts';
import { paths } from '../lib/paths.ts';
import classes from './KeyHelp.module.css';
import { SCREEN_HELP } from './screen-help.ts';
import { screenOf } from './screens.ts';

const GROUPS: KeyMeaning['group'][] = ['List', 'This page', 'Go to', 'Everywhere'];

/** `?`: every key that works on this screen, read from the command registry. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  const screen = screenOf(useLocation().pathname);
  const commands = useCommandList();
  const hasSingleKeys = useSingleKeys();
  const groups = GROUPS.map((group) => ({ group, some: commands.filter((one) => one.group === group) }));
  return (
    <OpenModal onClose={onClose} title="Keyboard shortcuts" size={720} closeButtonProps={{ 'aria-label': 'Close' }}>
      <p className="row gap-16" style={{ marginBottom: 16 }}>
        <Link to={paths.docs()} onClick={onClose}>
          Documentation
        </Link>
        {screen && (
          <Link to={paths.docs(SCREEN_HELP[screen.id])} onClick={onClose}>
            About this screen
          </Link>
        )}
        <Link to={paths.docs('keyboard')} onClick={onClose}>
          Every key
        </Link>
      </p>
      <div className={classes['groups']}>
        {groups.map(
          ({ group, some }) =>
            some.length > 0 && (
              <section key={group} aria-label={group}>
                <h3 className="note soft name">{group}</h3>
                <dl>
                  {some.map(({ id, keys, label }) => (
                    <div key={id}>
                      <dt className="grow">{label}</dt>
                      <dd className="row gap-6 rigid">
                        {keys.map((key, index) => (
                          <Fragment key={key}>
                            {index > 0 && <span className="faint">or</span>}
                            <Keys chord={key} />
                          </Fragment>
                        ))}
                      </dd>
                    </div>
                  ))}
                </dl>
              </section>
            ),
        )}
      </div>
      <Switch
        mt={16}
        label="Shortcuts without Ctrl or ⌘"
        description="When off, letters and symbols alone do nothing. Arrow keys, Enter and Esc still work."
        checked={hasSingleKeys}
        onChange={(event) => commandRegistry.setSingleKeys(event.currentTarget.checked)}
      />
    </OpenModal>
  );
}

/** One key combination: key caps in a row. */
export function Keys({ chord }: { chord: string }) {
  return (
    <span style={{ display: 'inline-flex', gap: 4 }}>
      {keyNames(chord).map((name) => (
        <Kbd key={name}>{name}</Kbd>
      ))}
    </span>
  );
}

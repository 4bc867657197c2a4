import { Select } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { Link, useNavigate } from 'react-router';
import { useEnv } from '../../api/use-env.ts';
import { paths } from '../../lib/paths.ts';
import { APPLICATION_SECTIONS, ENVIRONMENT_SECTIONS } from '../../lib/settings-sections.ts';
import classes from './SettingsFrame.module.css';
import { SettingsSearch } from './SettingsSearch.tsx';
import { useMarkedSetting } from './use-marked-setting.ts';

/** The list of all sections, of the environment and of the program, beside the shown ones. */
export function SettingsFrame({ current, children }: { current: string; children: ReactNode }) {
  const env = useEnv();
  const navigate = useNavigate();
  const content = useRef<HTMLDivElement>(null);
  useMarkedSetting(content);
  const groups = [
    {
      group: `Environment ${env}`,
      items: ENVIRONMENT_SECTIONS.map(({ id, label }) => ({ label, value: paths.settings(env, id) })),
    },
    {
      group: 'This computer',
      items: APPLICATION_SECTIONS.map(({ id, label }) => ({ label, value: paths.appSettings(id) })),
    },
  ];
  return (
    <div className={`grid ${classes['frame']}`}>
      <div className={classes['side']}>
        <SettingsSearch>
          <nav className={classes['nav']} aria-label="Settings">
            {groups.map(({ group, items }) => (
              <section key={group} aria-label={group}>
                <h2 className="faint tiny" style={{ padding: '0 8px 4px', fontWeight: 400 }}>
                  {group}
                </h2>
                <ul>
                  {items.map(({ label, value }) => (
                    <li key={value}>
                      <Link className="soft" to={value} aria-current={value === current ? 'page' : undefined}>
                        {label}
                      </Link>
                    </li>
                  ))}
                </ul>
              </section>
            ))}
          </nav>
          <div className={classes['picker']}>
            <Select
              aria-label="Section of the settings"
              data={groups}
              value={current}
              maxDropdownHeight={400}
              onChange={(next) => next && void navigate(next)}
            />
          </div>
        </SettingsSearch>
      </div>
      <div ref={content} className={classes['content']}>
        {children}
      </div>
    </div>
  );
}

import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import { useEnv } from '../../api/use-env.ts';
import { paths } from '../../lib/paths.ts';
import { APPLICATION_SECTIONS, ENVIRONMENT_SECTIONS } from '../../lib/settings-sections.ts';
import classes from './SettingsFrame.module.css';

/** The list of all sections, of the environment and of the program, beside the shown ones. */
export function SettingsFrame({ current, children }: { current: string; children: ReactNode }) {
  const env = useEnv();
  const navigate = useNavigate();
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
    <div className={classes['frame']}>
      <nav className={classes['nav']} aria-label="Settings">
        {groups.map(({ group, items }) => (
          <section key={group} aria-label={group}>
            <h2>{group}</h2>
            <ul>
              {items.map(({ label, value }) => (
                <li key={value}>
                  <Link to={value} aria-current={value === current ? 'page' : undefined}>
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
      <div>{children}</div>
    </div>
  );
}

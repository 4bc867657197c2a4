import { Menu, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCheck, IconLayoutSidebar, IconPlus, IconSelector } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { metaQueryOptions } from '../api/hub/hub-queries.ts';
import { ProductMark } from '../components/ProductMark.tsx';
import classes from './EnvironmentSwitcher.module.css';
import { screenOf } from './screens.ts';

const CreateEnvironment = lazy(async () => ({
  default: (await import('../features/settings/CreateEnvironment.tsx')).CreateEnvironment,
}));

interface EnvironmentSwitcherProps {
  env: string;
  isCollapsed: boolean;
  onToggleSidebar: () => void;
}

export function EnvironmentSwitcher({ env, isCollapsed, onToggleSidebar }: EnvironmentSwitcherProps) {
  const { data } = useQuery(metaQueryOptions());
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const current = data?.environments.find(({ name }) => name === env);
  const [isCreating, creating] = useDisclosure();
  // A detail page of one environment has no counterpart in another, so switching opens the list.
  const screen = screenOf(pathname)?.path ?? 'connections';
  const open = (name: string): void => void navigate(`/${name}/${screen}`);
  return (
    <>
      <Menu position="bottom-start" width={216}>
        <Menu.Target>
          <UnstyledButton
            className={`row rigid soft ${classes['button']}`}
            data-collapsed={isCollapsed || undefined}
            data-production={current?.isProduction || undefined}
            aria-label={`Environment ${env}${current?.isProduction ? ' production' : ''} Homeport, switch`}
          >
            <ProductMark fill="var(--env)" />
            {!isCollapsed && (
              <>
                <span className={`stack ${classes['names']}`} style={{ flex: 1 }}>
                  <span className="row gap-6">
                    <b className="strong cut">{env}</b>{' '}
                    {current?.isProduction && <span className={`rigid strong ${classes['chip']}`}>production</span>}
                  </span>{' '}
                  <span>Homeport</span>
                </span>
                <IconSelector size={16} stroke={1.6} aria-hidden />
              </>
            )}
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Environments</Menu.Label>
          {data?.environments.map(({ name, colour, isProduction }) => (
            <Menu.Item
              key={name}
              onClick={() => open(name)}
              leftSection={<span className={classes['dot']} style={{ background: `var(--hp-env-${colour})` }} />}
              rightSection={name === env ? <IconCheck size={14} stroke={1.6} aria-label="current" /> : null}
            >
              {name}
              {isProduction && <span className="faint"> production</span>}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<IconPlus size={14} stroke={1.6} />} onClick={creating.open}>
            New environment
          </Menu.Item>
          <Menu.Item leftSection={<IconLayoutSidebar size={14} stroke={1.6} />} onClick={onToggleSidebar}>
            {isCollapsed ? 'Widen' : 'Narrow'} sidebar
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense fallback={null}>
        {isCreating && <CreateEnvironment onClose={creating.close} onCreated={open} />}
      </Suspense>
    </>
  );
}

import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Link, useParams } from 'react-router';
import { metaQueryOptions } from '../api/hub/hub-queries.ts';
import { ProductMark } from '../components/ProductMark.tsx';
import { paths } from '../lib/paths.ts';
import classes from './LockPage.module.css';

/** Renders the screen in the environment of the address, or a notice that no environment has this name. */
export function InEnvironment({ children }: { children: ReactNode }) {
  const { env = '' } = useParams();
  const { data, isFetching } = useQuery(metaQueryOptions());
  if (!data) return null;
  if (data.environments.some(({ name }) => name === env)) return children;
  // An environment that was created a moment ago, for example in another window, is in the refetched response.
  return isFetching ? null : <UnknownEnvironment name={env} known={data.environments.map((one) => one.name)} />;
}

function UnknownEnvironment({ name, known }: { name: string; known: string[] }) {
  useEffect(() => {
    document.title = 'Not found – Homeport';
  }, []);
  return (
    <main className={`centred ${classes['page']}`}>
      <div className={`stack gap-8 at-top card full ${classes['card']}`}>
        <ProductMark size={32} />
        <h1>There is no environment "{name}"</h1>
        <p className="soft">It was deleted or renamed, or the link is old.</p>
        {known.map((one, index) => (
          <Button key={one} component={Link} to={paths.overview(one)} variant={index === 0 ? 'filled' : 'default'}>
            Open {one}
          </Button>
        ))}
      </div>
    </main>
  );
}

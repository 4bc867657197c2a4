import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useStreamState } from '../api/events/EventsProvider.tsx';
import { metaQueryOptions } from '../api/hub/hub-queries.ts';
import classes from './ReconnectBanner.module.css';

/** Asks for a reload when the server has another version than this page. The person reloads, after saving any input. */
export function UpdateBanner() {
  const { data, refetch } = useQuery(metaQueryOptions());
  const version = data?.version;
  const state = useStreamState();
  const wasAway = useRef(false);
  const [loaded, setLoaded] = useState<string>();
  const [misses, setMisses] = useState(false);
  useEffect(() => setLoaded((first) => first ?? version), [version]);
  useEffect(() => {
    // The version can only have changed while the server was away.
    if (state === 'reconnecting') wasAway.current = true;
    else if (state === 'open' && wasAway.current) {
      wasAway.current = false;
      void refetch();
    }
  }, [state, refetch]);
  useEffect(() => {
    // A part of the page failed to load: after an update its files have other names.
    const onMissing = (): void => setMisses(true);
    addEventListener('vite:preloadError', onMissing);
    return () => removeEventListener('vite:preloadError', onMissing);
  }, []);
  const isOther = loaded !== undefined && version !== undefined && version !== loaded;
  return (
    <div role="status" aria-live="polite">
      {(isOther || misses) && (
        <div className={`row gap-6 soft ${classes['banner']}`}>
          <IconRefresh size={16} stroke={1.6} aria-hidden />
          <b className="strong">Homeport was updated{isOther ? ` to ${version}` : ''}.</b> This page is from the
          previous version. Save your work, then reload.
          <Button size="xs" variant="default" onClick={() => location.reload()}>
            Reload
          </Button>
        </div>
      )}
    </div>
  );
}

import { CopyRow } from '../../components/CopyRow.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useNow } from '../../components/use-now.ts';
import classes from './ConnectForm.module.css';

/** A link to the connect page, for another browser of this computer. */
export function SharedLink({ link, expiresAt }: { link: string; expiresAt: string }) {
  const isOver = Date.parse(expiresAt) <= useNow();
  return (
    <div className={classes['shared']} role="status">
      <CopyRow value={link} label="Copy link" />
      <p>
        {isOver ? (
          'The link has expired. Share a new one.'
        ) : (
          <>
            Opens in any browser of this computer. Expires <RelativeTime at={expiresAt} />.
          </>
        )}
      </p>
    </div>
  );
}

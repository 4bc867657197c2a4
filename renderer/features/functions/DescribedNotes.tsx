import { IconAlertTriangle } from '@tabler/icons-react';
import classes from './OpenApiFunctions.module.css';

/** What a description does not say about a function. */
export const DescribedNotes = ({ notes }: { notes: string[] }) =>
  notes.map((note) => (
    <span key={note} className={`warn ${classes['note']}`}>
      <IconAlertTriangle size={14} aria-hidden />
      {note}
    </span>
  ));

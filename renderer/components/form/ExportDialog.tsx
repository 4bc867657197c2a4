import { OpenModal } from '../notice/OpenModal.tsx';
import { ExportForm, type ExportFormProps } from './ExportForm.tsx';

interface ExportDialogProps extends ExportFormProps {
  title: string;
  /** A description of the file's content. */
  text: string;
  onClose: () => void;
}

/** The export form in a dialog over the list; it closes when the file is written. */
export function ExportDialog({ title, text, onClose, ...form }: ExportDialogProps) {
  return (
    <OpenModal onClose={onClose} size={480} title={title}>
      <p className="soft" style={{ margin: '0 0 16px' }}>
        {text}
      </p>
      <ExportForm {...form} onDone={onClose} />
    </OpenModal>
  );
}

import { Notifications } from '@mantine/notifications';
import classes from './ToastArea.module.css';

/** Where short messages appear. A file of its own, so that it is loaded after the first view. */
export const ToastArea = () => (
  <Notifications position="bottom-right" autoClose={6000} classNames={{ root: classes['area'] ?? '' }} />
);

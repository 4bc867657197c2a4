import { Notifications } from '@mantine/notifications';

/** Where short messages appear; a file of its own so that it can come after the first view. */
export const ToastArea = () => <Notifications position="bottom-right" autoClose={6000} />;

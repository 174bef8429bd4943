import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import type { NotificationData } from '@mantine/notifications';
import classes from './plain-notifications.module.css';

export interface PlainNotification extends Pick<NotificationData, 'message' | 'role'> {
  id: number;
}

/** Notifications without their library, which cannot be loaded while the server cannot be reached. */
export function PlainNotifications(props: {
  notifications: readonly PlainNotification[];
  onClose: (id: number) => void;
}) {
  return (
    <div className={classes.list}>
      {props.notifications.map(({ id, message, role = 'status' }) => (
        <div key={id} role={role} className={classes.notification}>
          <span>{message}</span>
          <Button variant="default" size="compact-sm" onClick={() => props.onClose(id)}>
            <Trans>Close</Trans>
          </Button>
        </div>
      ))}
    </div>
  );
}

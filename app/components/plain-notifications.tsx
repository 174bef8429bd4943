import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import type { NotificationData } from '@mantine/notifications';
import classes from './plain-notifications.module.css';

/** Notifications without their library, which cannot be loaded while the server cannot be reached. */
export function PlainNotifications(props: {
  notifications: readonly NotificationData[];
  onClose: (notification: NotificationData) => void;
}) {
  return (
    <div className={classes.list}>
      {props.notifications.map((notification, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no identity, and are few.
        <div key={index} role={notification.role ?? 'status'} className={classes.notification}>
          <span>{notification.message}</span>
          <Button variant="default" size="compact-sm" onClick={() => props.onClose(notification)}>
            <Trans>Close</Trans>
          </Button>
        </div>
      ))}
    </div>
  );
}

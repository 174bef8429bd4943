import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import type { NotificationData } from '@mantine/notifications';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { hasUnsavedWork } from '../forms/unsaved-work.ts';
import { RetryButton } from '../retry-button.tsx';
import classes from './plain-notifications.module.css';

export interface PlainNotification extends Pick<NotificationData, 'message' | 'role'> {
  id: number;
}

/** Notifications without their library, which cannot be loaded while the server cannot be reached, or once the console was updated. */
export function PlainNotifications(props: {
  notifications: readonly PlainNotification[];
  isUpdated: boolean;
  onClose: (id: number) => void;
}) {
  const describe = useErrorMessage();
  return (
    <div className={classes.list}>
      {props.isUpdated && (
        <div role="alert" className={classes.notification}>
          <span>
            {describe(null)} {hasUnsavedWork() && <Trans>Copy what you have typed first.</Trans>}
          </span>
          <RetryButton variant="default" size="compact-sm" onRetry={() => undefined} />
        </div>
      )}
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

import { Trans } from '@lingui/react/macro';
import { IconCloudOff } from '@tabler/icons-react';
import { useEffect } from 'react';
import { followConnection } from '../../components/lazy-parts/follow-connection.ts';
import { useServerAway } from '../../components/lazy-parts/server-watch.ts';
import classes from './away-notice.module.css';

/** Follows the connection, and says while there is none that what is on the screen may have changed. */
export default function AwayNotice() {
  const isAway = useServerAway();
  useEffect(followConnection, []);
  if (!isAway) return null;
  return (
    <div role="status" className={classes.notice}>
      <IconCloudOff size={18} aria-hidden />
      <span>
        <Trans>The server cannot be reached. What you see may be out of date until it is back.</Trans>
      </span>
    </div>
  );
}

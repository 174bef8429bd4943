import { Trans } from '@lingui/react/macro';
import { Alert, Button, Stack } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useArrival } from '../focus/use-arrival.ts';
import classes from './made-banner.module.css';

/** What a form has made and the person has to deal with next, such as a key to copy; it stays until it is dismissed. */
export function MadeBanner(props: { title: ReactNode; onDismiss: () => void; children: ReactNode }) {
  const banner = useArrival();
  return (
    <Alert
      ref={banner}
      role="status"
      color="green"
      classNames={{ wrapper: classes.banner, body: classes.banner }}
      icon={<IconCircleCheck size={20} aria-hidden />}
      title={props.title}
    >
      <Stack gap="sm" align="stretch">
        {props.children}
        <Button variant="default" onClick={props.onDismiss} style={{ alignSelf: 'flex-start' }}>
          <Trans>Dismiss</Trans>
        </Button>
      </Stack>
    </Alert>
  );
}

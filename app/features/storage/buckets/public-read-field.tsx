import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Stack, Switch } from '@mantine/core';
import { IconWorld } from '@tabler/icons-react';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';

/** Whether anyone may read a bucket's objects, with what that means where it is so or about to be. */
export function PublicReadField(props: { isPublic: boolean; onChange: (isPublic: boolean) => void }) {
  const { isPublic, onChange } = props;
  const { t } = useLingui();
  const reason = usePermissionReason()('bucket.manage');
  return (
    <Stack gap="sm">
      <Switch
        label={t`Make objects public`}
        description={reason ?? t`Lets anyone on the internet read objects by their address, without a key.`}
        checked={isPublic}
        disabled={reason !== null}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {isPublic && (
        <Alert color="yellow" role="note" icon={<IconWorld size={18} aria-hidden />}>
          <Trans>
            Everyone who knows or guesses an object’s name can read it, including objects uploaded later. The
            list of objects stays private. Requests and traffic from the public count toward your usage.
          </Trans>
        </Alert>
      )}
    </Stack>
  );
}

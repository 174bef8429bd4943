import { Trans, useLingui } from '@lingui/react/macro';
import { Button, FileButton } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { FolderButton } from '../../deployments/folder-button.tsx';
import type { PickedFile } from '../../deployments/upload/picked-files.ts';

/** Chooses a folder or files to upload; with a reason, they say why that is not possible. */
export function UploadButtons(props: {
  reason: string | null;
  onPick: (files: readonly PickedFile[]) => void;
}) {
  const { reason, onPick } = props;
  const { t } = useLingui();
  return (
    <>
      <FolderButton onPick={onPick}>
        {(choose) => (
          <ReasonedAction reason={reason} onAct={choose}>
            {(action) => (
              <Button variant="default" {...action}>
                <Trans>Upload folder</Trans>
              </Button>
            )}
          </ReasonedAction>
        )}
      </FolderButton>
      <FileButton
        multiple
        inputProps={{ 'aria-label': t`Files`, tabIndex: -1 }}
        onChange={(files) => onPick(files.map((file) => ({ path: file.name, file })))}
      >
        {({ onClick }) => (
          <ReasonedAction reason={reason} onAct={onClick}>
            {(action) => (
              <Button leftSection={<IconUpload size={16} aria-hidden />} {...action}>
                <Trans>Upload files</Trans>
              </Button>
            )}
          </ReasonedAction>
        )}
      </FileButton>
    </>
  );
}

// A question that is asked before something is done.
import { Button, Form, FormGroup, Modal, ModalBody, ModalFooter, ModalHeader, ModalVariant, TextInput } from '@patternfly/react-core';
import { useId, useState, type ReactNode } from 'react';
import type { ApiError } from '../kube/errors';
import { useText } from './i18n';
import { Failure } from './problems';

interface ConfirmDialogProps {
  title: string;
  children: ReactNode;
  action: string;
  typed?: string; // what has to be typed before; absent: nothing
  busy?: boolean;
  error?: ApiError;
  onConfirm: () => void;
  onClose: () => void;
}

export function ConfirmDialog({ title, children, action, typed, busy, error, onConfirm, onClose }: ConfirmDialogProps) {
  const t = useText();
  const id = useId();
  const [text, setText] = useState('');
  const ready = !busy && (typed === undefined || text === typed);
  return (
    <Modal isOpen variant={ModalVariant.small} onClose={onClose} aria-labelledby={`${id}-title`} aria-describedby={`${id}-body`}>
      <ModalHeader title={title} titleIconVariant="warning" labelId={`${id}-title`} />
      <ModalBody id={`${id}-body`}>
        {children}
        {typed === undefined ? null : (
          <Form
            onSubmit={(event) => {
              event.preventDefault();
              if (ready) onConfirm();
            }}
          >
            <FormGroup label={t('Type {{name}} to confirm', { name: typed })} fieldId={`${id}-typed`} isRequired>
              <TextInput id={`${id}-typed`} autoComplete="off" value={text} onChange={(_event, value) => setText(value)} data-test="steward-typed" />
            </FormGroup>
          </Form>
        )}
        {error ? <Failure title={t('This failed')} error={error} /> : null}
      </ModalBody>
      <ModalFooter>
        <Button variant="danger" isDisabled={!ready} isLoading={busy} onClick={onConfirm} data-test="steward-confirm">
          {action}
        </Button>
        <Button variant="link" onClick={onClose}>
          {t('Cancel')}
        </Button>
      </ModalFooter>
    </Modal>
  );
}

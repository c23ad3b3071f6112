// The manifests of a bundle, pasted or from a file.
import { FileUpload, FormGroup, FormHelperText, HelperText, HelperTextItem } from '@patternfly/react-core';
import { useState } from 'react';
import { useText, type Translate } from '../shared/i18n';
import { MOST_BYTES, MOST_MANIFESTS, type ManifestProblem } from './manifests';

export function problemText(t: Translate, problem: ManifestProblem): string {
  switch (problem.kind) {
    case 'tooLarge':
      return t('These are more than {{size}} MiB.', { size: MOST_BYTES / 1024 / 1024 });
    case 'tooMany':
      return t('These are {{count}} manifests; {{most}} can be asked about.', { count: problem.count, most: MOST_MANIFESTS });
    case 'tooDeep':
      return t('This is nested too deeply.');
    case 'empty':
      return t('There is no manifest in this.');
    case 'noObject':
      return t('Document {{number}} is no object with apiVersion and kind.', { number: problem.document });
    case 'notYaml':
      return t('This is no YAML: {{message}}', { message: problem.message });
  }
}

interface BundleFieldProps {
  text: string;
  problem?: ManifestProblem;
  onChange: (text: string) => void;
  onProblem: (problem: ManifestProblem) => void;
}

export function BundleField({ text, problem, onChange, onProblem }: BundleFieldProps) {
  const t = useText();
  const [filename, setFilename] = useState('');
  const [reading, setReading] = useState(false);
  const clear = () => {
    setFilename('');
    onChange('');
  };
  return (
    <FormGroup label={t('Manifests')} fieldId="steward-manifests" isRequired>
      <FileUpload
        id="steward-manifests"
        type="text"
        value={text}
        filename={filename}
        filenamePlaceholder={t('Drop a YAML file here, or paste its text below')}
        browseButtonText={t('Choose a file')}
        clearButtonText={t('Clear')}
        aria-label={t('Manifests')}
        isLoading={reading}
        allowEditingUploadedText
        validated={problem ? 'error' : 'default'}
        dropzoneProps={{ maxSize: MOST_BYTES, onDropRejected: () => onProblem({ kind: 'tooLarge' }) }}
        onFileInputChange={(_event, file) => setFilename(file.name)}
        onReadStarted={() => setReading(true)}
        onReadFinished={() => setReading(false)}
        onReadFailed={() => setReading(false)}
        onDataChange={(_event, data) => onChange(data)}
        onTextChange={(_event, typed) => onChange(typed)}
        onClearClick={clear}
      />
      <FormHelperText>
        <HelperText aria-live="polite">
          <HelperTextItem variant={problem ? 'error' : 'default'}>
            {problem ? problemText(t, problem) : t('YAML of one or several documents. Nothing of it is kept: the cluster tries it as you.')}
          </HelperTextItem>
        </HelperText>
      </FormHelperText>
    </FormGroup>
  );
}

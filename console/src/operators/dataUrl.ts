// A picture as an address that holds it. Such a one is no page of any origin: an SVG that somebody opens by itself runs no
// scripts as this page, which it would under a blob's address.
export function dataUrl(blob: Blob): Promise<string> {
  if (blob.size === 0 || !blob.type.startsWith('image/')) return Promise.resolve('');
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('the picture cannot be read'));
    reader.readAsDataURL(blob);
  });
}

// A text in the part of an address after `#`, compressed. Browsers do not send this part to a server.

/** Largest text in bytes. A link could hold a few bytes that unpack to gigabytes. */
const MOST = 1 << 20;

/** Packs a text. */
export async function packed(text) {
  const plain = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(plain).arrayBuffer());
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return letters.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Unpacks the text of an address. Returns undefined if there is none, and throws if it is damaged or too large. */
export async function unpacked(hash) {
  const letters = hash.replace(/^#/, '').replaceAll('-', '+').replaceAll('_', '/');
  if (letters === '') return undefined;
  const bytes = Uint8Array.from(atob(letters), (c) => c.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [text, size] = ['', 0];
  for (const reader = plain.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > MOST) {
      await reader.cancel();
      throw new RangeError('the text is too large');
    }
    text += decoder.decode(value, { stream: true });
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** A lazy compressor of pieces, so that a long response is never in memory twice. */
final class GzipPieces implements Iterator<byte[]> {
  private static final int ENOUGH = 16 * 1024;

  private final Iterator<byte[]> plain;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final GZIPOutputStream gzip;
  private boolean finished;

  GzipPieces(Iterator<byte[]> plain) {
    this.plain = plain;
    try {
      this.gzip =
          new GZIPOutputStream(out) {
            {
              def.setLevel(Deflater.BEST_SPEED);
            }
          };
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail
    }
  }

  @Override
  public boolean hasNext() {
    return !finished;
  }

  @Override
  public byte[] next() {
    if (finished) {
      throw new NoSuchElementException();
    }
    try {
      while (plain.hasNext() && out.size() < ENOUGH) {
        gzip.write(plain.next());
      }
      if (!plain.hasNext()) {
        gzip.close();
        finished = true;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    byte[] piece = out.toByteArray();
    out.reset();
    return piece;
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.json;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes a message in the binary form of Protocol Buffers; confined to one thread. */
public final class ProtobufWriter {

  private static final int VARINT = 0;
  private static final int BYTES = 2;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /** Adds bytes as they are. */
  void raw(byte[] bytes) {
    out.writeBytes(bytes);
  }

  /** Adds a text, also an empty one. */
  public ProtobufWriter text(int field, String text) {
    return bytes(field, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Adds a message. */
  public ProtobufWriter message(int field, ProtobufWriter message) {
    return bytes(field, message.toBytes());
  }

  /** Adds a number of at least 0. */
  public ProtobufWriter number(int field, long value) {
    varint(((long) field << 3) | VARINT);
    varint(value);
    return this;
  }

  /** Returns what was added. */
  public byte[] toBytes() {
    return out.toByteArray();
  }

  private ProtobufWriter bytes(int field, byte[] bytes) {
    varint(((long) field << 3) | BYTES);
    varint(bytes.length);
    out.writeBytes(bytes);
    return this;
  }

  private void varint(long value) {
    long left = value;
    while ((left & ~0x7FL) != 0) {
      out.write((int) ((left & 0x7F) | 0x80));
      left >>>= 7;
    }
    out.write((int) left);
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.persist;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** One write as it is kept; immutable, its bytes are not to be changed. */
final class Entry {
  private final long version;
  private final String storage;
  private final String key;
  private final byte[] object;

  /**
   * Creates an entry.
   *
   * @param version version that the write made
   * @param storage collection, as in {@code apps/deployments}
   * @param key key of the object within its collection
   * @param object the object as JSON without kind and apiVersion, empty = it was deleted
   */
  Entry(long version, String storage, String key, byte[] object) {
    this.version = version;
    this.storage = storage;
    this.key = key;
    this.object = object;
  }

  long version() {
    return version;
  }

  String storage() {
    return storage;
  }

  String key() {
    return key;
  }

  byte[] object() {
    return object;
  }

  boolean deletes() {
    return object.length == 0;
  }

  byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(object.length + 128);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeLong(version);
      out.writeUTF(storage);
      out.writeUTF(key);
      out.write(object);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Decodes what {@link #encode} made; throws {@link IOException} for anything else. */
  static Entry decode(byte[] bytes) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      return new Entry(in.readLong(), in.readUTF(), in.readUTF(), in.readAllBytes());
    }
  }
}

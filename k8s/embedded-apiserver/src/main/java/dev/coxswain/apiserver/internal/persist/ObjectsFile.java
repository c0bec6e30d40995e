// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.persist;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code objects} in a data directory, and the lock on that directory. Calls block; one
 * thread at a time.
 *
 * <p>The file holds a mark, the version of the store, the number of objects, each object with its
 * collection, and a checksum of all that. It is written under another name, brought to the disk and
 * renamed, so it is always whole, whenever a process or a machine dies.
 */
final class ObjectsFile implements AutoCloseable {
  private static final String NAME = "objects";
  private static final long MARK = 0x434f585357414931L; // COXSWAI1

  private final Path folder;
  private final FileChannel lock;

  private ObjectsFile(Path folder, FileChannel lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /**
   * An object as it is kept.
   *
   * @param storage collection, as in {@code apps/deployments}
   * @param body JSON of the object behind the opening brace, kind and apiVersion
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Kept(String storage, byte[] body) {}

  /**
   * The contents of a file.
   *
   * @param version version of the store, 0 = there is no file
   */
  record Contents(long version, List<Kept> objects) {}

  /**
   * Locks a directory, which is created for its owner only when it is missing: secrets are in it.
   *
   * @throws IOException when it is in use or cannot be used; the message has the cause
   */
  static ObjectsFile open(Path folder) throws IOException {
    try {
      boolean posix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
      if (posix && !Files.isDirectory(folder)) {
        Files.createDirectories(
            folder,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      } else {
        Files.createDirectories(folder);
      }
      FileChannel channel =
          FileChannel.open(
              folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (lock(channel) != null) {
        return new ObjectsFile(folder, channel);
      }
      channel.close();
    } catch (IOException e) {
      throw new IOException("data directory " + folder + " cannot be used: " + e, e);
    }
    throw new IOException(
        "data directory " + folder + " is in use by another server: one directory, one server");
  }

  private static @Nullable FileLock lock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // a server in this process
    }
  }

  /**
   * Reads the file.
   *
   * @throws IOException when it is damaged or cannot be read
   */
  Contents read() throws IOException {
    Path file = folder.resolve(NAME);
    if (!Files.exists(file)) {
      return new Contents(0, List.of());
    }
    long size = Files.size(file);
    CRC32C sum = new CRC32C();
    try (DataInputStream in =
        new DataInputStream(
            new CheckedInputStream(new BufferedInputStream(Files.newInputStream(file)), sum))) {
      check(in.readLong() == MARK);
      long version = in.readLong();
      int count = in.readInt();
      List<Kept> objects = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        String storage = in.readUTF();
        int length = in.readInt();
        check(length >= 0 && length < size);
        byte[] body = new byte[length];
        in.readFully(body);
        objects.add(new Kept(storage, body));
      }
      long expected = sum.getValue();
      check(in.readLong() == expected && in.read() < 0);
      return new Contents(version, objects);
    } catch (IOException e) {
      throw new IOException(
          "%s is damaged or cannot be read (%s): bring back a copy of it, or remove it to start with no objects"
              .formatted(file, e),
          e);
    }
  }

  private static void check(boolean asWritten) throws IOException {
    if (!asWritten) {
      throw new IOException("not what was written");
    }
  }

  /** Replaces the file; when this fails, the earlier one stays as it is. */
  void write(Contents contents) throws IOException {
    Path unfinished = folder.resolve(NAME + ".tmp");
    try {
      try (FileChannel channel =
          FileChannel.open(
              unfinished,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        write(contents, channel);
        channel.force(true);
      }
      Files.move(unfinished, folder.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      Files.deleteIfExists(unfinished); // the disk may be full
      throw e;
    }
    try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
      directory.force(true); // the new name
    }
  }

  private static void write(Contents contents, FileChannel channel) throws IOException {
    CRC32C sum = new CRC32C();
    DataOutputStream out =
        new DataOutputStream(
            new CheckedOutputStream(
                new BufferedOutputStream(Channels.newOutputStream(channel)), sum));
    out.writeLong(MARK);
    out.writeLong(contents.version());
    out.writeInt(contents.objects().size());
    for (Kept object : contents.objects()) {
      out.writeUTF(object.storage());
      out.writeInt(object.body().length);
      out.write(object.body());
    }
    out.writeLong(sum.getValue());
    out.flush();
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}

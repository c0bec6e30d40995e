// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.persist;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a data directory. Calls block; one thread at a time, except that {@link #snapshot}
 * and {@link #sync} may run beside {@link #append} and {@link #roll}.
 *
 * <p>{@code snapshot-N} holds all objects, {@code log-N} and every later log what came afterwards.
 * A snapshot appears under its name when it is whole and on the disk, and only then are older files
 * deleted; so whatever moment a process dies at, the newest snapshot and the logs from it on are
 * everything.
 */
final class DataDirectory implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);
  private static final String SNAPSHOT = "snapshot-";
  private static final String JOURNAL = "log-";
  private static final String UNFINISHED = ".tmp";

  private final Path folder;
  private final FileChannel lockFile;

  /** Held while bytes are brought to the disk, so that an older log is there before a newer one. */
  private final Object syncing = new Object();

  /** Guards the next three; never held while waiting for the disk. */
  private final Object state = new Object();

  private @Nullable FileChannel journal;
  private final List<FileChannel> finished = new ArrayList<>();
  private boolean unsynced;

  private long generation;

  private DataDirectory(Path folder, FileChannel lockFile) {
    this.folder = folder;
    this.lockFile = lockFile;
  }

  /**
   * Opens a directory, creating it when needed, and locks it.
   *
   * @throws DataDirectoryException when it is in use or cannot be read and written
   */
  static DataDirectory open(Path folder) {
    try {
      create(folder);
      FileChannel channel =
          FileChannel.open(
              folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock = null;
      try {
        lock = channel.tryLock();
      } catch (OverlappingFileLockException e) {
        LOG.atDebug().addKeyValue("folder", folder).log("locked by this process");
      } finally {
        if (lock == null) {
          channel.close();
        }
      }
      if (lock == null) {
        throw new DataDirectoryException(
            "data directory " + folder + " is in use by another server: one directory, one server");
      }
      return new DataDirectory(folder, channel);
    } catch (IOException e) {
      throw unusable(folder, e);
    }
  }

  /** Creates the directory for its owner only where that can be said: secrets are in it. */
  private static void create(Path folder) throws IOException {
    if (folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } else {
      Files.createDirectories(folder);
    }
  }

  static DataDirectoryException unusable(Path folder, IOException e) {
    String why =
        e instanceof FileSystemException f && f.getReason() == null
            ? e.getClass().getSimpleName() + " " + f.getFile()
            : String.valueOf(e.getMessage());
    return new DataDirectoryException("data directory " + folder + " cannot be used: " + why, e);
  }

  /**
   * Reads everything and gets ready to append. A record that was cut off at the very end is cut and
   * reported.
   *
   * @return what exists
   * @throws DataDirectoryException when a file is damaged
   */
  Contents load() {
    try {
      Contents contents = new Contents();
      NavigableMap<Long, Path> snapshots = numbered(SNAPSHOT);
      NavigableMap<Long, Path> journals = numbered(JOURNAL);
      long base = snapshots.isEmpty() ? 0 : snapshots.lastKey();
      if (!snapshots.isEmpty()) {
        whole(snapshots.lastEntry().getValue(), contents);
      }
      journals = journals.tailMap(base, true);
      long expected = base;
      for (Map.Entry<Long, Path> log : journals.entrySet()) {
        if (log.getKey() != expected++) {
          throw new DataDirectoryException(
              folder.resolve(JOURNAL + (expected - 1)) + " is missing");
        }
        if (log.getKey().equals(journals.lastKey())) {
          cutTail(log.getValue(), contents);
        } else {
          whole(log.getValue(), contents);
        }
      }
      generation = journals.isEmpty() ? base : journals.lastKey();
      FileChannel opened = append(folder.resolve(JOURNAL + generation));
      synchronized (state) {
        journal = opened;
      }
      syncNames();
      deleteBefore(base);
      return contents;
    } catch (IOException e) {
      throw unusable(folder, e);
    }
  }

  private static void whole(Path file, Contents contents) throws IOException {
    long end = Records.read(file, bytes -> contents.take(bytes));
    if (end < Files.size(file)) {
      throw Records.damaged(file, end);
    }
  }

  private static void cutTail(Path file, Contents contents) throws IOException {
    long end = Records.read(file, bytes -> contents.take(bytes));
    long size = Files.size(file);
    if (end < size) {
      LOG.atWarn()
          .addKeyValue("file", file)
          .addKeyValue("bytes", size - end)
          .log("cut off a write that was not finished");
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(end);
        channel.force(true);
      }
    }
  }

  private NavigableMap<Long, Path> numbered(String prefix) throws IOException {
    NavigableMap<Long, Path> found = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, prefix + "*")) {
      for (Path file : files) {
        String number = file.getFileName().toString().substring(prefix.length());
        if (number.chars().allMatch(Character::isDigit) && !number.isEmpty()) {
          found.put(Long.parseLong(number), file);
        }
      }
    }
    return found;
  }

  private static FileChannel append(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    try {
      if (channel.size() < Records.MAGIC.length) {
        channel.truncate(0);
        write(channel, ByteBuffer.wrap(Records.MAGIC));
      }
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private static void write(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  /** Appends entries; when this returns they survive the end of the process. */
  void append(Collection<Entry> entries) throws IOException {
    FileChannel channel = current();
    int length = 0;
    ByteBuffer[] frames = new ByteBuffer[entries.size()];
    int i = 0;
    for (Entry entry : entries) {
      frames[i] = Records.frame(entry.encode());
      length += frames[i++].remaining();
    }
    ByteBuffer all = ByteBuffer.allocate(length);
    for (ByteBuffer frame : frames) {
      all.put(frame);
    }
    write(channel, all.flip());
    synchronized (state) {
      unsynced = true;
    }
  }

  private FileChannel current() {
    synchronized (state) {
      FileChannel channel = journal;
      if (channel == null) {
        throw new IllegalStateException("load comes first");
      }
      return channel;
    }
  }

  /** Brings what was appended to the disk, so that it survives the end of the machine. */
  void sync() throws IOException {
    synchronized (syncing) {
      List<FileChannel> older;
      FileChannel newest;
      boolean needed;
      synchronized (state) {
        older = List.copyOf(finished);
        finished.clear();
        needed = unsynced;
        unsynced = false;
        newest = current();
      }
      for (FileChannel channel : older) {
        try (channel) {
          channel.force(false);
        }
      }
      if (!older.isEmpty()) {
        syncNames();
      }
      if (needed) {
        newest.force(false);
      }
    }
  }

  private void syncNames() throws IOException {
    try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  /**
   * Begins a new log; entries of now on are not part of the snapshot that follows. The old one is
   * brought to the disk by the next {@link #sync}.
   */
  void roll() throws IOException {
    FileChannel next = append(folder.resolve(JOURNAL + (generation + 1)));
    synchronized (state) {
      finished.add(current());
      journal = next;
      unsynced = true;
    }
    generation++;
  }

  /** Writes what existed at the last {@link #roll}, and deletes what it makes superfluous. */
  void snapshot(Iterable<Entry> entries) throws IOException {
    sync();
    Path unfinished = folder.resolve(SNAPSHOT + generation + UNFINISHED);
    try (FileChannel channel =
        FileChannel.open(
            unfinished,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      write(channel, ByteBuffer.wrap(Records.MAGIC));
      for (Entry entry : entries) {
        write(channel, Records.frame(entry.encode()));
      }
      channel.force(true);
    } catch (IOException e) {
      Files.deleteIfExists(unfinished); // the disk may be full
      throw e;
    }
    Files.move(unfinished, folder.resolve(SNAPSHOT + generation), StandardCopyOption.ATOMIC_MOVE);
    syncNames();
    deleteBefore(generation);
  }

  private void deleteBefore(long number) throws IOException {
    for (String prefix : List.of(SNAPSHOT, JOURNAL)) {
      for (Path file : numbered(prefix).headMap(number, false).values()) {
        Files.deleteIfExists(file);
      }
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + UNFINISHED)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** Bytes in the current log. */
  long journalSize() throws IOException {
    return current().size();
  }

  /** Bytes of the newest snapshot, 0 = there is none. */
  long snapshotSize() throws IOException {
    NavigableMap<Long, Path> snapshots = numbered(SNAPSHOT);
    return snapshots.isEmpty() ? 0 : Files.size(snapshots.lastEntry().getValue());
  }

  @Override
  public void close() throws IOException {
    try {
      FileChannel channel;
      synchronized (state) {
        channel = journal;
      }
      if (channel != null) {
        try (channel) {
          sync();
        }
      }
    } finally {
      lockFile.close(); // gives the lock back, too
    }
  }
}

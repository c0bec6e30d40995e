// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import dev.coxswain.k8s.internal.AccessException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A document that a kubeconfig file contains, or that is a file of its own, which may change.
 *
 * <p>Thread rule: immutable; {@link #read} blocks.
 */
final class ConfiguredFile {

  /** The longest document, in bytes; authorities of large companies have some hundred kilobytes. */
  private static final int LONGEST = 4 * 1024 * 1024;

  private final Function<String, AccessException> errors;
  private final String field;
  private final @Nullable Path path;
  private final byte[] data;

  private ConfiguredFile(
      Function<String, AccessException> errors, String field, @Nullable Path path, byte[] data) {
    this.errors = errors;
    this.field = field;
    this.path = path;
    this.data = data;
  }

  static ConfiguredFile ofPath(Function<String, AccessException> errors, String field, Path path) {
    return new ConfiguredFile(errors, field, path, new byte[0]);
  }

  static ConfiguredFile ofBase64(
      Function<String, AccessException> errors, String field, String base64)
      throws AccessException {
    try {
      byte[] data = Base64.getDecoder().decode(base64.replaceAll("\\s", ""));
      return new ConfiguredFile(errors, field, null, data);
    } catch (IllegalArgumentException e) {
      throw errors.apply(field + " is not base64");
    }
  }

  /** Returns whether the content may change. */
  boolean isFile() {
    return path != null;
  }

  /** Returns the content. */
  byte[] read() throws AccessException {
    if (path == null) {
      return data;
    }
    try (InputStream in = Files.newInputStream(path)) {
      byte[] content = in.readNBytes(LONGEST + 1);
      if (content.length > LONGEST) {
        throw error("it is longer than " + LONGEST + " bytes");
      }
      return content;
    } catch (AccessException e) {
      throw e;
    } catch (NoSuchFileException e) {
      throw error("no such file");
    } catch (FileSystemException e) {
      throw error(e.getReason() == null ? "it cannot be read" : e.getReason());
    } catch (IOException e) {
      throw error(String.valueOf(e.getMessage()));
    }
  }

  /** Returns a failure that names the field and its file. */
  AccessException error(String what) {
    return errors.apply(field + (path == null ? "" : " " + path) + ": " + what);
  }
}

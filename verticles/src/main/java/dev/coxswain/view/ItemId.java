// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The identity of an item in addresses: the unpadded base64url form of {@code namespace/name}, so
 * that it contains only {@code [A-Za-z0-9_-]} and passes every proxy. A request whose text is
 * longer than an address may be has a shortened one.
 *
 * <p>Thread rule: immutable.
 *
 * @param namespace the namespace, empty for none; without a slash
 * @param name the name, may hold slashes
 */
public record ItemId(String namespace, String name) {

  /** The longest text that is accepted; with the rest of an address it fits a request line. */
  private static final int MAX_LENGTH = 3072;

  /** The number of bytes that such a text can encode. */
  private static final int MAX_BYTES = MAX_LENGTH / 4 * 3;

  private static final String SHORTENED = "~sha256~";
  private static final int MAX_NAMESPACE = 253;

  /** Returns the text of this id, or of {@link #shortened} when that is too long for an address. */
  public String encoded() {
    byte[] text = bytes();
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.length <= MAX_BYTES ? text : shortened().bytes());
  }

  private byte[] bytes() {
    return (namespace + "/" + name).getBytes(StandardCharsets.UTF_8);
  }

  /** Returns whether the full text of this id fits into an address. */
  public boolean fits() {
    return namespace.length() + name.length() < MAX_BYTES / 3 || bytes().length <= MAX_BYTES;
  }

  /**
   * Returns an id with a digest in place of a name that is too long for an address. A queue
   * resolves such an id only after having shown it.
   */
  public ItemId shortened() {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes());
      return new ItemId(
          namespace.length() > MAX_NAMESPACE ? "" : namespace,
          SHORTENED + HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Returns whether a digest replaces the name, so that the request cannot be computed from it. */
  public boolean isShortened() {
    return name.startsWith(SHORTENED);
  }

  /** Returns the id with this text, or empty when the text is no id. */
  public static Optional<ItemId> decode(String text) {
    if (text.isEmpty() || text.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    String decoded;
    try {
      decoded =
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(Base64.getUrlDecoder().decode(text)))
              .toString();
    } catch (IllegalArgumentException | CharacterCodingException e) {
      return Optional.empty(); // text from outside that never was an id
    }
    int slash = decoded.indexOf('/');
    if (slash < 0 || slash == decoded.length() - 1) {
      return Optional.empty();
    }
    ItemId id = new ItemId(decoded.substring(0, slash), decoded.substring(slash + 1));
    // Only the canonical text is accepted, so that no two addresses mean the same item.
    return id.encoded().equals(text) ? Optional.of(id) : Optional.empty();
  }
}

// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The secret that the members of one cluster share. A digest of it is part of the name of the
 * Hazelcast cluster, which Hazelcast checks before a member joins. The name is sent in clear text:
 * the secret protects against processes that can reach the port, not against those that can read
 * the traffic.
 *
 * <p>The value appears nowhere: not in {@link #toString}, in errors or in logs.
 *
 * <p>Thread rule: immutable.
 */
public final class ClusterSecret {
  /** The smallest accepted length. */
  public static final int MIN_LENGTH = 16;

  /** The largest accepted length. */
  public static final int MAX_LENGTH = 1024;

  private static final int NAME_BYTES = 16;
  private static final int FINGERPRINT_BYTES = 4;

  private final byte[] value;

  private ClusterSecret(byte[] value) {
    this.value = value;
  }

  /**
   * Creates a secret.
   *
   * @throws IllegalArgumentException naming the key, when its length is not from 16 to 1024
   */
  public static ClusterSecret of(String value) {
    return of("sharedLimiter.clusterSecret", value);
  }

  /**
   * Reads a secret from a file, without white space at its beginning and end.
   *
   * @throws IllegalArgumentException naming the key, when it cannot be read or has another length
   */
  public static ClusterSecret read(Path file) {
    String key = "sharedLimiter.clusterSecretFile";
    try {
      return of(key, Files.readString(file).strip());
    } catch (IOException e) {
      throw new IllegalArgumentException(
          key + ": cannot read " + file + " (" + e.getClass().getSimpleName() + ")", e);
    }
  }

  private static ClusterSecret of(String key, String value) {
    if (value.length() < MIN_LENGTH || value.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          key
              + ": expected a secret of "
              + MIN_LENGTH
              + " to "
              + MAX_LENGTH
              + " characters, found "
              + value.length());
    }
    return new ClusterSecret(value.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the secret part of the name of the Hazelcast cluster, with which a member can join. */
  String digest(String clusterName) {
    return derive("member", clusterName, NAME_BYTES);
  }

  /** Returns a short digest that distinguishes secrets and does not allow a member to join. */
  String fingerprint(String clusterName) {
    return derive("generation", clusterName, FINGERPRINT_BYTES);
  }

  private String derive(String purpose, String clusterName, int bytes) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(value, "HmacSHA256"));
      byte[] made =
          mac.doFinal(("coxswain " + purpose + " " + clusterName).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(made, 0, bytes);
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ClusterSecret secret && MessageDigest.isEqual(value, secret.value);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(value);
  }

  @Override
  public String toString() {
    return "(secret)";
  }
}
